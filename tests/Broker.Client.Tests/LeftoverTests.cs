using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Broker.Transport;

namespace Broker.Client.Tests;

/// <summary>
/// A wait that is abandoned, at any point, leaves nothing in the process: no socket, no timer, no block of a pool, and
/// no task, callback or registration, because each of these would keep the connection in memory. The server is another
/// process and answers nothing.
/// </summary>
public sealed class LeftoverTests : IDisposable
{
    private const int Room = 256 * 1024;

    // This leaves little space below the limit. The kernel may still accept some bytes late.
    private const int Large = Room - 8192;

    private static readonly RequestManyOptions Patient = new() { Deadline = Wait.Limit };

    // Each of these waits forever if the server is silent and there is no space.
    private static readonly Dictionary<string, Func<BrokerConnection, CancellationToken, Task>> Points = new(StringComparer.Ordinal)
    {
        ["ping"] = static (c, t) => c.PingAsync(t),
        ["flush"] = static (c, t) => c.FlushAsync(t),
        ["drain"] = static (c, t) => c.DrainAsync(t),
        ["drain of a subscription"] = static (c, t) => c.Subscribe("a", static (in _) => { }).DrainAsync(t),
        ["drain of a queue"] = static (c, t) => c.SubscribeQueued("a").DrainAsync(t),
        ["next of a queue"] = static (c, t) => c.SubscribeQueued("a").Reader.ReadAsync(t).AsTask(),
        ["next of an enumeration"] = static async (c, t) => await c.ReadAsync("a", cancellationToken: t).GetAsyncEnumerator(t).MoveNextAsync(),
        ["next value"] = static async (c, t) => await new EncodedConnection(c, TextEncoder.Instance).ReadAsync<string>("a", cancellationToken: t).GetAsyncEnumerator(t).MoveNextAsync(),
        ["room to publish"] = static (c, t) => c.PublishAsync("a", new byte[Large], cancellationToken: t).AsTask(),
        ["request"] = static (c, t) => c.RequestAsync("a", default, Wait.Limit, cancellationToken: t).AsTask(),
        ["request that blocks"] = static (c, t) => Task.Run(() => c.Request("a", default, Wait.Limit, cancellationToken: t), CancellationToken.None),
        ["request of values"] = static (c, t) => new EncodedConnection(c, TextEncoder.Instance).RequestAsync<string, string>("a", "x", Wait.Limit, cancellationToken: t).AsTask(),
        ["answers of many"] = static async (c, t) => await c.RequestManyAsync("a", default, Patient, cancellationToken: t).GetAsyncEnumerator(t).MoveNextAsync(),
        ["answers gathered"] = static (c, t) => c.GatherAsync("a", default, Patient, cancellationToken: t),
        ["room to publish a value"] = static (c, t) => new EncodedConnection(c, RawEncoder.Instance).PublishAsync("a", new byte[Large], cancellationToken: t).AsTask(),
        ["channel to send, no room"] = static (c, t) => new EncodedConnection(c, RawEncoder.Instance).BindSendAsync("a", ChannelOf(new byte[Large]), t),
        ["channel to send"] = static (c, t) => new EncodedConnection(c, TextEncoder.Instance).BindSendAsync("a", Channel.CreateUnbounded<string>().Reader, t),
    };

    private readonly NatsServer _server = NatsServer.Start();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Nothing_remains_of_connections_after_abandoned_waits(bool cancelled, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await HoldAsync(group, async () =>
        {
            // All at once: each close takes a second, because the server does not answer it.
            BrokerConnection[] connections = await Task.WhenAll(Points.Select(_ => ConnectAsync(group)));
            await StopServerAsync();
            return await Task.WhenAll(Points.Keys.Zip(connections, (point, connection) => GiveUpAsync(connection, point, cancelled)));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nothing_remains_of_a_connection_that_waits_for_its_server_to_return(bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await HoldAsync(group, async () =>
        {
            BrokerConnection connection = await ConnectAsync(group);
            connection.SubscribeQueued("a");
            Task<Message> request = connection.RequestAsync("a", default, Wait.Limit, cancellationToken: Token).AsTask();
            _server.Kill();
            await Wait.UntilAsync(() => connection.State == ConnectionState.Reconnecting, () => $"{connection.State}");
            connection.PublishWithStatus("kept", "x"u8);
            await Wait.For(connection.CloseAsync());
            await EndOf(request);
            return [new Held("the connection", Weak(connection))];
        });
    }

    // The operating system of the server accepts the connection, and no server sends INFO.
    [Theory]
    [InlineData("nats", false)]
    [InlineData("nats", true)]
    [InlineData("tls", false)]
    [InlineData("tls", true)]
    public async Task Nothing_remains_of_a_connect_that_was_cancelled(string scheme, bool portable)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await StopServerAsync();
        var before = Leftovers.Now();
        await HoldAsync(group, async () =>
        {
            using var cancel = new CancellationTokenSource();
            Task<BrokerConnection> connect = BrokerConnection.ConnectAsync(
                new ClientOptions { Servers = [$"{scheme}://127.0.0.1:{_server.Port}"], Loops = group, ConnectTimeout = Wait.Limit }, cancel.Token);
            await Wait.UntilAsync(() => Leftovers.Now().Sockets.Except(before.Sockets).Any() && !connect.IsCompleted, "the attempt");
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(connect));
            return [];
        });
    }

    private static async Task<Held> GiveUpAsync(BrokerConnection connection, string point, bool cancelled)
    {
        if (point.Contains("room", StringComparison.Ordinal))
        {
            await FillAsync(connection);
        }

        using var cancel = new CancellationTokenSource();
        Task waiting = Points[point](connection, cancel.Token);
        await TurnAsync(connection);
        Assert.False(waiting.IsCompleted, point);
        if (cancelled)
        {
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Wait.For(waiting));
            Assert.Equal(0, connection.Core.Requester.Pending);
        }

        await Wait.For(connection.CloseAsync());
        await EndOf(waiting);
        return new Held(point, Weak(connection));
    }

    // Stops all threads of the server, because a signal takes time to arrive.
    private async Task StopServerAsync()
    {
        _server.Signal("STOP");
        await Wait.UntilAsync(() => Directory.GetDirectories($"/proc/{_server.Process.Id}/task").All(IsStopped), "the server's stop");
    }

    private static bool IsStopped(string task)
    {
        try
        {
            return File.ReadLines(Path.Combine(task, "status")).Any(static line => line.StartsWith("State:\tT", StringComparison.Ordinal));
        }
        catch (IOException)
        {
            // A thread has ended meanwhile, so the others are checked again.
            return false;
        }
    }

    private Task<BrokerConnection> ConnectAsync(EventLoopGroup group) => BrokerConnection.ConnectAsync(
        new ClientOptions
        {
            Servers = [_server.Url],
            Loops = group,
            ConnectTimeout = Wait.Limit,
            PingInterval = TimeSpan.FromHours(1),
            ReconnectDelay = _ => TimeSpan.FromHours(1),
            WriteDeadline = TimeSpan.FromHours(1),
            MaxPendingBytes = Room,
            DrainTimeout = TimeSpan.FromMilliseconds(1),
        },
        Token);

    // Publishes until there is no space, also after everything that could be sent has been sent.
    private static async Task FillAsync(BrokerConnection connection)
    {
        byte[] body = new byte[10_000];
        for (int full = 0; full < 3; full++)
        {
            while (connection.PublishWithStatus("full"u8, body) == PublishStatus.Accepted)
            {
                full = 0;
            }

            await TurnAsync(connection);
        }
    }

    private static ChannelReader<byte[]> ChannelOf(byte[] value)
    {
        var channel = Channel.CreateUnbounded<byte[]>();
        channel.Writer.TryWrite(value);
        return channel.Reader;
    }

    private static Task TurnAsync(BrokerConnection connection)
    {
        TaskCompletionSource turn = Wait.Source();
        connection.Loop.Post(turn.SetResult);
        return Wait.For(turn);
    }

    // Waits for any outcome.
    private static Task EndOf(Task task)
        => Wait.For(task.ContinueWith(static t => _ = t.Exception, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Weak(BrokerConnection connection) => new(connection.Core);

    private static async Task HoldAsync(EventLoopGroup group, Func<Task<Held[]>> act)
    {
        // A wait has a timer of its own, so this code polls.
        Leftovers before = null!;
        await Wait.UntilAsync(() => (before = Leftovers.Now()) is not null);
        Held[] connections = await act();
        await Wait.UntilAsync(
            () =>
            {
                // Both may be fewer than before, if earlier tests left some. A thread's stack may still refer to what
                // it called last.
                group[0].Post(static () => { });
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !connections.Any(static c => c.Connection.IsAlive) && group.BufferedBytes == 0
                    && Leftovers.Now() is var now && !now.Sockets.Except(before.Sockets).Any() && now.Timers <= before.Timers;
            },
            () => $"before {before}, now {Leftovers.Now()}, blocks {group.BufferedBytes}, held {string.Join(", ", connections.Where(static c => c.Connection.IsAlive).Select(static c => c.Point))}");
    }

    private sealed record Held(string Point, WeakReference Connection);

    /// <summary>The sockets and timers of the process, which a connection may own.</summary>
    private sealed record Leftovers(IReadOnlyCollection<string> Sockets, long Timers)
    {
        internal static Leftovers Now() => new(
            OperatingSystem.IsLinux() ? [.. Directory.EnumerateFileSystemEntries("/proc/self/fd").Select(NameOf).Where(static name => name.StartsWith("socket:", StringComparison.Ordinal))] : [],
            Timer.ActiveCount);

        public override string ToString() => $"{string.Join(' ', Sockets)}, {Timers} timers";

        // A socket's name contains a unique number.
        private static string NameOf(string descriptor)
        {
            try
            {
                return File.ResolveLinkTarget(descriptor, returnFinalTarget: false)?.Name ?? "";
            }
            catch (IOException)
            {
                // This is the descriptor that reads the directory.
                return "";
            }
        }
    }
}
