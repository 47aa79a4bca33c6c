using System.Globalization;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Requests;

/// <summary>A service that has seen the reply subject of one request cannot answer another request.</summary>
public sealed class ReplySubjectTests
{
    private const int Guesses = 200;

    private static readonly TimeSpan Never = TimeSpan.FromMinutes(10);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_reply_to_a_counted_subject_answers_no_other_request()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection requester = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection service = await Patient.ConnectAsync(server.Options, Token);
        var seen = new List<string>();
        service.Subscribe("a", (in MessageView m) => seen.Add(System.Text.Encoding.UTF8.GetString(m.ReplyTo)));
        await service.PingAsync(Token);
        Task<Message>[] pending = [.. Enumerable.Range(0, 10).Select(_ => requester.RequestAsync("a", default, Never, cancellationToken: Token).AsTask())];
        await requester.PingAsync(Token);
        await service.PingAsync(Token);

        foreach (string guess in GuessesFrom(seen[0]).Where(guess => guess != seen[0]))
        {
            Assert.Equal(PublishStatus.Accepted, service.PublishWithStatus(guess, "forged"u8));
        }

        await service.PingAsync(Token);
        await requester.PingAsync(Token);
        Assert.All(pending, static request => Assert.False(request.IsCompleted));

        // Each request is answered on its own subject.
        seen.ForEach(replyTo => service.PublishWithStatus(replyTo, "right"u8));
        Message[] replies = await Wait.For(Task.WhenAll(pending));
        Assert.All(replies, static reply => Assert.Equal("right"u8, reply.Body.Span));
    }

    [Fact]
    public void A_token_is_read_as_it_was_written()
    {
        Span<byte> token = stackalloc byte[RequestToken.MaxLength];
        foreach (ulong secret in (ulong[])[0, 1, 0x0123456789ABCDEF, ulong.MaxValue])
        {
            foreach (long number in (long[])[1, 1 << 20, long.MaxValue])
            {
                int length = RequestToken.Write(token, secret, number);
                Assert.True(RequestToken.TryRead(token[..length], out ulong readSecret, out long readNumber));
                Assert.Equal((secret, number), (readSecret, readNumber));
                Assert.False(RequestToken.TryRead(token[..(length - number.ToString(CultureInfo.InvariantCulture).Length)], out _, out _));
            }
        }

        Assert.False(RequestToken.TryRead("1048576"u8, out _, out _));
        Assert.False(RequestToken.TryRead("AAAAAAAAAA.1"u8, out _, out _));
        Assert.False(RequestToken.TryRead("AAAAAAAAAAA1x"u8, out _, out _));
    }

    // The subjects with a number at the end that is near the number at the end of this one, for any length of the
    // number.
    private static IEnumerable<string> GuessesFrom(string replyTo)
    {
        int digits = replyTo.Reverse().TakeWhile(char.IsAsciiDigit).Count();
        for (int length = 1; length <= Math.Min(digits, 18); length++)
        {
            long number = long.Parse(replyTo[^length..], CultureInfo.InvariantCulture);
            for (long near = Math.Max(0, number - Guesses); near <= number + Guesses; near++)
            {
                yield return replyTo[..^length] + near.ToString(CultureInfo.InvariantCulture);
            }
        }
    }
}
