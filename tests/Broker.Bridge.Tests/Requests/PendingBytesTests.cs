using System.Text;
using System.Threading.Channels;
using Broker.Bridge.Tests.Requests.Support;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.Requests;

/// <summary>Clients that ask faster than the service answers are held up, and the service is not flooded.</summary>
public sealed class PendingBytesTests
{
    private const int Size = 64 * 1024;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    // One client may have 4 MiB on their way, all together 16 MiB: 64 and 256 requests less their frames' heads.
    [Theory]
    [InlineData(1, 63)]
    [InlineData(8, 255)]
    public async Task Clients_are_held_up_beyond_a_bound_in_bytes_and_all_are_answered(int clients, int most)
    {
        const int Requests = 120;
        await using RequestSite site = await RequestSite.StartAsync(1, RequestSite.Asking);
        BrokerConnection service = await site.ClientAsync();
        var asked = Channel.CreateUnbounded<string>();
        int received = 0;
        service.Subscribe(RequestSite.Subject, (in MessageView message) =>
        {
            Interlocked.Increment(ref received);
            asked.Writer.TryWrite(Encoding.ASCII.GetString(message.ReplyTo));
        });
        await service.FlushAsync(Token);
        var dealers = new DealerSocket[clients];
        byte[] body = new byte[Size];
        for (int i = 0; i < clients; i++)
        {
            dealers[i] = new DealerSocket();
            dealers[i].Connect(site.Endpoint("request"));
        }

        Task[] sending = [.. dealers.Select(dealer => Task.Run(
            async () =>
            {
                for (int i = 0; i < Requests; i++)
                {
                    await dealer.SendAsync(new ZeroMqMessage("").Append(body), Token);
                }
            },
            Token))];
        await Wait.UntilAsync(() => Volatile.Read(ref received) >= most, () => $"{received}");
        await Task.Delay(300, Token);
        Assert.InRange(Volatile.Read(ref received), most, most + 1);
        for (int i = 0; i < clients * Requests; i++)
        {
            service.Publish(await asked.Reader.ReadAsync(Token), "ok"u8);
        }

        await Task.WhenAll(sending);
        foreach (DealerSocket dealer in dealers)
        {
            for (int i = 0; i < Requests; i++)
            {
                Assert.Equal("ok"u8.ToArray(), (await dealer.ReceiveFramesAsync(Token))[^1]);
            }

            await dealer.DisposeAsync();
        }

        Assert.Equal(((long)clients * Requests, 0), (site.Requests.Answered, site.Requests.Pending));
    }

    [Fact]
    public async Task A_single_request_may_exceed_the_bound()
    {
        await using RequestSite site = await RequestSite.StartAsync(
            1, RequestSite.Asking with { MaxPendingBytes = 1000, MaxPendingBytesPerClient = 100 });
        await site.EchoAsync();
        await using var dealer = new DealerSocket();
        dealer.Connect(site.Endpoint("request"));
        for (int i = 0; i < 10; i++)
        {
            await dealer.SendAsync(new ZeroMqMessage("").Append(new byte[Size]), Token);
        }

        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(Size, (await dealer.ReceiveFramesAsync(Token))[^1].Length);
        }

        Assert.Equal((10L, 0L), (site.Requests.Answered, site.Requests.PendingBytes));
    }
}
