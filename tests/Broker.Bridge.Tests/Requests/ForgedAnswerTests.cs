using System.Globalization;
using System.Text;
using System.Threading.Channels;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Replies from those who were not asked, and to those who did not ask.</summary>
public sealed class ForgedAnswerTests
{
    private const int Guesses = 64;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Who_has_seen_one_reply_subject_cannot_answer_the_next_requests()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        BrokerConnection service = await site.ClientAsync();
        var asked = Channel.CreateUnbounded<string>();
        service.Subscribe(
            RequestSite.Subject, (in MessageView message) => asked.Writer.TryWrite(Encoding.ASCII.GetString(message.ReplyTo)));
        await service.FlushAsync(Token);
        BrokerConnection forger = await site.ClientAsync();
        await using var dealer = new DealerSocket();
        dealer.Connect(site.Endpoint("request"));
        await dealer.SendAsync(new ZeroMqMessage(["", "seen"]), Token);
        string seen = await asked.Reader.ReadAsync(Token);
        for (int i = 0; i < 5; i++)
        {
            await dealer.SendAsync(new ZeroMqMessage(["", "balance?"]), Token);
            string real = await asked.Reader.ReadAsync(Token);
            foreach (string guess in GuessesAfter(seen))
            {
                forger.Publish(guess, "forged"u8);
            }

            await forger.FlushAsync(Token);
            service.Publish(real, "real"u8);
            byte[][] answer = await dealer.ReceiveFramesAsync(Token);
            Assert.Equal("real", Encoding.ASCII.GetString(answer[^1]));
            seen = real;
        }

        Assert.Equal((5L, 1), (site.Requests.Answered, site.Requests.Pending));
    }

    [Fact]
    public async Task The_reply_does_not_go_to_a_connection_that_took_over_the_routing_id()
    {
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        BrokerConnection service = await site.ClientAsync();
        var asked = Channel.CreateUnbounded<string>();
        service.Subscribe(
            RequestSite.Subject, (in MessageView message) => asked.Writer.TryWrite(Encoding.ASCII.GetString(message.ReplyTo)));
        await service.FlushAsync(Token);
        string first;
        await using (DealerSocket victim = Dealer(site))
        {
            await victim.SendAsync(new ZeroMqMessage(["", "my question"]), Token);
            first = await asked.Reader.ReadAsync(Token);
        }

        await Wait.UntilAsync(() => site.Requests.Peers == 0, "the client's end");
        await using DealerSocket other = Dealer(site);
        await other.SendAsync(new ZeroMqMessage(["", "another question"]), Token);
        string second = await asked.Reader.ReadAsync(Token);
        service.Publish(first, "the secret answer"u8);
        service.Publish(second, "the other answer"u8);
        byte[][] answer = await other.ReceiveFramesAsync(Token);
        Assert.Equal("the other answer", Encoding.ASCII.GetString(answer[^1]));
        Assert.Equal((1L, 1L), (site.Requests.Undeliverable, site.Requests.Answered));
    }

    private static DealerSocket Dealer(RequestSite site)
    {
        var dealer = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "victim"u8.ToArray() });
        dealer.Connect(site.Endpoint("request"));
        return dealer;
    }

    // The subjects that differ from the seen one by a small number in its last digits, or before the last eight.
    private static IEnumerable<string> GuessesAfter(string seen)
    {
        int length = Math.Min(16, seen.Length - seen.LastIndexOf('.') - 1);
        ulong number = ulong.Parse(seen[^length..], NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        for (ulong ahead = 1; ahead <= Guesses; ahead++)
        {
            yield return seen[..^length] + (number + ahead).ToString("x16", CultureInfo.InvariantCulture);
            for (ulong slot = 0; slot < 4; slot++)
            {
                ulong counted = (((number >> 32) + ahead) << 32) | slot;
                yield return seen[..^length] + counted.ToString("x16", CultureInfo.InvariantCulture);
            }
        }
    }
}
