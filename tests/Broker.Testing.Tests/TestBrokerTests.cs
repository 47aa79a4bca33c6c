using System.Net;
using System.Net.Sockets;
using Broker.Client;
using Broker.Server;

namespace Broker.Testing.Tests;

public sealed class TestBrokerTests
{
    // Long enough for one check. The waits with this limit fail, however long it is.
    private static readonly TimeSpan InVain = TimeSpan.FromMilliseconds(50);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Brokers_run_in_parallel_and_share_nothing()
    {
        await Task.WhenAll(Enumerable.Range(0, 8).Select(i => Task.Run(
            async () =>
            {
                await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
                await using MessageRecorder all = await broker.RecordAsync(">", Cancellation);
                broker.Client.Publish("number", [(byte)('0' + i)]);
                await all.AssertTextsAsync($"{i}");
            },
            Cancellation)));
    }

    [Fact]
    public async Task A_program_connects_with_the_connection_string_and_is_counted()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder all = await broker.RecordAsync(">", Cancellation);
        await broker.WaitForConnectionsAsync(0, Cancellation);

        await using (BrokerConnection program = await Outside.ConnectAsync(broker.ConnectionString))
        {
            await broker.WaitForConnectionsAsync(1, Cancellation);
            program.Publish("a", "hello"u8);
        }

        await broker.WaitForConnectionsAsync(0, Cancellation);
        await all.AssertTextsAsync("hello");
    }

    [Fact]
    public async Task A_disposed_broker_leaves_nobody_connected_and_nothing_listening()
    {
        TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        var port = (IPEndPoint)broker.EndPoint;
        MessageRecorder recorder = await broker.RecordAsync("a", Cancellation);

        await broker.DisposeAsync();
        await broker.DisposeAsync();

        Assert.Equal(ConnectionState.Closed, broker.Client.State);
        using var late = new TcpClient();
        await Assert.ThrowsAsync<SocketException>(() => late.ConnectAsync(port.Address, port.Port, Cancellation).AsTask());
        await recorder.DisposeAsync();
    }

    [Fact]
    public async Task With_users_the_client_is_the_first_user_and_other_clients_use_their_own()
    {
        await using TestBroker broker = await TestBroker.StartAsync(
            static o => o.Users = [new User("ada", "secret"), new User("bob", "word")], cancellationToken: Cancellation);

        await using BrokerConnection bob = await broker.ConnectAsync(new ClientOptions { User = "bob" }, Cancellation);

        Assert.Equal((ConnectionState.Connected, ConnectionState.Connected), (broker.Client.State, bob.State));
        await Assert.ThrowsAsync<AuthorizationException>(() => broker.ConnectAsync(new ClientOptions { User = "bob", Password = "wrong" }, Cancellation));
        await Assert.ThrowsAsync<AuthorizationException>(() => Outside.ConnectAsync(broker.ConnectionString));
    }

    [Fact]
    public async Task With_a_token_the_client_uses_it()
    {
        await using TestBroker broker = await TestBroker.StartAsync(static o => o.Token = "secret", cancellationToken: Cancellation);
        await using MessageRecorder all = await broker.RecordAsync(">", Cancellation);

        broker.Client.Publish("a", "hello"u8);

        await all.AssertTextsAsync("hello");
    }

    [Fact]
    public async Task A_failed_start_throws_the_reason()
        => await Assert.ThrowsAsync<AuthorizationException>(() => TestBroker.StartAsync(
            static o => o.Users = [new User("ada", "secret")], new ClientOptions { User = "ada", Password = "wrong" }, Cancellation));

    [Fact]
    public async Task A_wait_for_subscribers_counts_the_subscriptions_that_a_message_would_reach_but_not_recorders()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using MessageRecorder all = await broker.RecordAsync(">", Cancellation);
        await using MessageRecorder orders = await broker.RecordAsync("orders.*", Cancellation);
        await using BrokerConnection program = await Outside.ConnectAsync(broker.ConnectionString);
        program.Subscribe("payments", static (in _) => { });
        program.Subscribe("orders.>", static (in _) => { }, queue: "desk");
        await broker.WaitForSubscribersAsync("orders.new", 1, Cancellation);
        broker.WaitTimeout = InVain;

        ExpectationException failure = await Assert.ThrowsAsync<ExpectationException>(() => broker.WaitForSubscribersAsync("orders.new", 2, Cancellation));

        Assert.StartsWith("Expected 2 subscribers of 'orders.new' within 0.05 s. All subscriptions:\n  1. ", failure.Message, StringComparison.Ordinal);
        Assert.Contains("orders.> (queue group desk)", failure.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ExpectationException>(() => broker.WaitForSubscribersAsync("elsewhere", 1, Cancellation));
        await all.DisposeAsync();
        await Assert.ThrowsAsync<ExpectationException>(() => broker.WaitForSubscribersAsync("orders.new", 2, Cancellation));
        broker.WaitTimeout = Wait.Limit;
        Task second = broker.WaitForSubscribersAsync("orders.new", 2, Cancellation);
        program.Subscribe("*.new", static (in _) => { });
        await second;
    }

    [Fact]
    public async Task A_failed_wait_for_connections_shows_their_number()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        broker.WaitTimeout = InVain;

        ExpectationException failure = await Assert.ThrowsAsync<ExpectationException>(() => broker.WaitForConnectionsAsync(1, Cancellation));

        Assert.Equal("Expected 1 connection within 0.05 s, but there are 0.", failure.Message);
    }

    [Fact]
    public async Task Invalid_subjects_and_times_are_refused()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);

        await Assert.ThrowsAsync<ArgumentException>(() => broker.WaitForSubscribersAsync("orders.*", 1, Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => broker.WaitForSubscribersAsync("orders", 0, Cancellation));
        Assert.Throws<ArgumentOutOfRangeException>(() => broker.WaitTimeout = TimeSpan.Zero);
        await Assert.ThrowsAsync<ArgumentException>(() => broker.RecordAsync("a..b", Cancellation));
    }

    [Fact]
    public async Task A_handler_that_blocks_delays_neither_the_broker_nor_another_program()
    {
        await using TestBroker broker = await TestBroker.StartAsync(cancellationToken: Cancellation);
        await using BrokerConnection program = await Outside.ConnectAsync(broker.ConnectionString);
        using var release = new ManualResetEventSlim();
        TaskCompletionSource blocked = Wait.Source();
        broker.Client.Subscribe("a", (in _) =>
        {
            blocked.TrySetResult();
            release.Wait(Cancellation);
        });
        await broker.WaitForSubscribersAsync("a", 1, Cancellation);
        program.Publish("a", default);
        await Wait.For(blocked);

        await program.PingAsync(Cancellation);

        release.Set();
    }

    [Fact]
    public async Task The_broker_uses_the_clock_of_the_test()
    {
        var time = new VirtualTime();
        await using TestBroker broker = await TestBroker.StartAsync(o => o.LoopOptions = o.LoopOptions with { TimeProvider = time }, cancellationToken: Cancellation);
        using var socket = new TcpClient();
        await socket.ConnectAsync((IPEndPoint)broker.EndPoint, Cancellation);
        using var reader = new StreamReader(socket.GetStream());
        await socket.GetStream().WriteAsync("CONNECT {\"verbose\":false}\r\nPING\r\n"u8.ToArray(), Cancellation);
        Assert.StartsWith("INFO ", await reader.ReadLineAsync(Cancellation), StringComparison.Ordinal);
        Assert.Equal("PONG", await reader.ReadLineAsync(Cancellation));
        Task<string?> next = reader.ReadLineAsync(Cancellation).AsTask();

        // The clock advances by two minutes again and again, so the PING timer fires whenever it was set.
        await Wait.UntilAsync(() => next.IsCompleted, static () => "no PING came", () => time.Advance(TimeSpan.FromMinutes(2)));

        Assert.Equal("PING", await next);
    }
}
