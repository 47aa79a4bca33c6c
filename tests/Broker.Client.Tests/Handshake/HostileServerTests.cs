using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Handshake;

/// <summary>
/// Whatever a server sends, the connection ends with an error that contains it, and the client buffers no more than its
/// limits.
/// </summary>
public sealed class HostileServerTests
{
    private const int MaxPayload = 256 * 1024;
    private const long Endless = 1L << 30;

    // Twice the most that the client buffers, plus the buffers of both sockets.
    private const long MostTaken = 32 * 1024 * 1024;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static ClientOptions Options(FakeServer server, TaskCompletionSource<Exception> lost) => new()
    {
        Servers = [server.Url],
        ConnectTimeout = Wait.Limit,
        MaxPayload = MaxPayload,
        MaxReconnectAttempts = 0,
        OnDisconnected = (_, e) => lost.TrySetResult(e),
    };

    /// <summary>
    /// A server that sends a beginning and then repeats a text until the client closes the connection or has received
    /// one gibibyte.
    /// </summary>
    private static FakeServer EndlessServer(string begin, string more, TaskCompletionSource<long> taken, bool shakesHands = true) => new(peer =>
    {
        if (shakesHands)
        {
            peer.ShakeHands();
        }

        string chunk = string.Concat(Enumerable.Repeat(more, (64 * 1024 / more.Length) + 1));
        long sent = 0;
        try
        {
            peer.Send(begin);
            for (; sent < Endless; sent += chunk.Length)
            {
                peer.Send(chunk);
            }
        }
        finally
        {
            taken.TrySetResult(sent);
        }
    });

    [Theory]
    [InlineData("INFO {\"a\":\"", "x", "INFO {")]
    [InlineData("INFO ", "{", "INFO {{")]
    [InlineData("MSG a 1 ", "1", "MSG a 1 1")]
    [InlineData("MSG ", "a", "MSG aaa")]
    [InlineData("HMSG a 1 999999999 999999999\r\n", "NATS/1.0\r\nA: b\r\n", "HMSG a 1 999999999")]
    [InlineData("HMSG a 1 300000 300000\r\n", "A: b\r\n", "HMSG a 1 300000")]
    [InlineData("-ERR '", "x", "-ERR")]
    [InlineData("", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1")]
    [InlineData("", "\0", "\\x00\\x00")]
    public async Task Endless_input_ends_the_connection_with_an_error_that_contains_it(string begin, string more, string named)
    {
        TaskCompletionSource<long> taken = Wait.Source<long>();
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        using FakeServer server = EndlessServer(begin, more, taken);
        await using BrokerConnection connection = await Patient.ConnectAsync(Options(server, lost), Token);
        ProtocolViolationException e = Assert.IsType<ProtocolViolationException>(await Wait.For(lost));
        Assert.Contains(named, e.Message, StringComparison.Ordinal);
        Assert.InRange(await Wait.For(taken), 0, MostTaken);
    }

    [Theory]
    [InlineData("INFO {\"a\":\"", "x", "INFO {")]
    [InlineData("", "x", "xxx")]
    public async Task Endless_input_ends_the_connection_during_the_handshake_too(string begin, string more, string named)
    {
        TaskCompletionSource<long> taken = Wait.Source<long>();
        using FakeServer server = EndlessServer(begin, more, taken, shakesHands: false);
        ProtocolViolationException e = await Assert.ThrowsAsync<ProtocolViolationException>(
            () => Wait.For(Patient.ConnectAsync(Options(server, Wait.Source<Exception>()), Token)));
        Assert.Contains(named, e.Message, StringComparison.Ordinal);
        Assert.InRange(await Wait.For(taken), 0, MostTaken);
    }

    [Fact]
    public async Task Unread_answers_to_PINGs_end_the_connection_at_the_limit_of_pending_bytes()
    {
        TaskCompletionSource<long> taken = Wait.Source<long>();
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        using FakeServer server = EndlessServer("", "PING\r\n", taken);
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server, lost) with { MaxPendingBytes = 1024 * 1024, WriteDeadline = Timeout.InfiniteTimeSpan }, Token);
        ConnectionLostException e = Assert.IsType<ConnectionLostException>(await Wait.For(lost));
        Assert.Contains("PING", e.Message, StringComparison.Ordinal);
        Assert.InRange(await Wait.For(taken), 0, MostTaken);
    }

    [Fact]
    public async Task Messages_without_a_subscription_are_discarded_and_use_no_memory()
    {
        TaskCompletionSource sent = Wait.Source();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            string message = $"MSG a 77 1000\r\n{new string('x', 1000)}\r\n";
            string chunk = string.Concat(Enumerable.Repeat(message, 256));
            for (int i = 0; i < 400; i++)
            {
                peer.Send(chunk);
            }

            Assert.Equal("PING", peer.ReadLine());
            peer.Send("PONG\r\n");
            sent.SetResult();
            peer.Discard();
        });
        await using BrokerConnection connection = await Patient.ConnectAsync(
            Options(server, Wait.Source<Exception>()) with { DrainTimeout = TimeSpan.FromMilliseconds(100) }, Token);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await connection.PingAsync(Token);
        await Wait.For(sent);
        Assert.Equal(0, connection.GetStatistics().MessagesIn);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, MostTaken);
    }
}
