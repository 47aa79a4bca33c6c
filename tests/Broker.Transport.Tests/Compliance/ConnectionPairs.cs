using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using Broker.Transport.Tests.Tls;

namespace Broker.Transport.Tests;

/// <summary>The ways to connect two connections.</summary>
public enum TransportKind
{
    Epoll,
    Portable,
    InProcess,
    Tls,
    PortableTls,
    UpgradedTls,
    Pipe,
    TlsOverPipe,
    Records,
    PortableRecords,
}

/// <summary>
/// Makes pairs of connections over one transport: the near end on <see cref="Near"/>, the far end on <see
/// cref="Far"/>. The two groups are independent of each other.
/// </summary>
public sealed class ConnectionPairs : IDisposable
{
    public static readonly TimeSpan WaitLimit = Wait.Limit;

    private readonly TransportKind _kind;
    private readonly Listener? _listener;
    private readonly ConcurrentQueue<Probe> _awaited = new();
    private readonly SslServerAuthenticationOptions _serverOptions = TlsSettings.Server();
    private readonly SslClientAuthenticationOptions _clientOptions = TlsSettings.Client();
    private readonly SemaphoreSlim _oneAtATime = new(1);

    /// <param name="kind">How the ends of a pair are connected.</param>
    /// <param name="nearLoops">The number of loops of the near group.</param>
    /// <param name="farLoops">The number of loops of the far group.</param>
    /// <param name="onFault">Called with exceptions that callbacks throw.</param>
    /// <param name="time">The clock of both groups; null for the system's clock.</param>
    public ConnectionPairs(TransportKind kind, int nearLoops = 1, int farLoops = 1, Action<Exception>? onFault = null, TimeProvider? time = null)
    {
        Assert.SkipUnless(kind is not (TransportKind.Epoll or TransportKind.Tls or TransportKind.Records) || OperatingSystem.IsLinux(), "epoll is Linux's");
        _kind = kind;
        var options = new EventLoopOptions { ForcePortable = kind is TransportKind.Portable or TransportKind.PortableTls or TransportKind.PortableRecords, OnFault = onFault, TimeProvider = time ?? TimeProvider.System };
        Near = new EventLoopGroup(options with { Loops = nearLoops, ThreadName = "near" });
        Far = new EventLoopGroup(options with { Loops = farLoops, ThreadName = "far" });
        if (kind is not (TransportKind.InProcess or TransportKind.Pipe or TransportKind.TlsOverPipe))
        {
            _listener = Listener.Start(
                Far, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => _awaited.TryDequeue(out Probe? probe) ? Wrap(probe, server: true) : null);
        }
    }

    public EventLoopGroup Near { get; }

    public EventLoopGroup Far { get; }

    /// <summary>Connects two probes. When it returns, both have been opened, unless they closed at once.</summary>
    public async Task ConnectAsync(Probe near, Probe far, EventLoop? nearLoop = null)
    {
        nearLoop ??= Near.Next();
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        if (_kind == TransportKind.InProcess)
        {
            (near.Made, far.Made) = InProcessLink.Create(nearLoop, near, Far.Next(), far);
        }
        else if (_kind is TransportKind.Pipe or TransportKind.TlsOverPipe)
        {
            (DuplexPipe a, DuplexPipe b) = DuplexPipe.Create();
            near.Made = PipeLink.Open(nearLoop, a, Wrap(near, server: false));
            far.Made = PipeLink.Open(Far.Next(), b, Wrap(far, server: true));
        }
        else
        {
            // One at a time, so that the accepted far end is the one that belongs to the near end.
            await _oneAtATime.WaitAsync(cancellation);
            try
            {
                _awaited.Enqueue(far);
                near.Made = await Dialer.ConnectAsync(nearLoop, _listener!.EndPoint, Wrap(near, server: false), cancellation);
                await Task.WhenAny(far.Opened, far.Closed).WaitAsync(WaitLimit, cancellation);
            }
            finally
            {
                _oneAtATime.Release();
            }
        }

        await Task.WhenAny(near.Opened, near.Closed).WaitAsync(WaitLimit, cancellation);
        await Task.WhenAny(far.Opened, far.Closed).WaitAsync(WaitLimit, cancellation);
    }

    private ConnectionHandler Wrap(Probe probe, bool server)
        => _kind is TransportKind.Records or TransportKind.PortableRecords ? new RecordsHandler(probe)
            : _kind is TransportKind.Tls or TransportKind.PortableTls or TransportKind.UpgradedTls or TransportKind.TlsOverPipe
            ? new SecuredHandler(probe, server ? _serverOptions : null, server ? null : _clientOptions, greets: _kind == TransportKind.UpgradedTls)
            : probe;

    public void Dispose()
    {
        _listener?.Dispose();
        Near.Dispose();
        Far.Dispose();
        _oneAtATime.Dispose();
    }
}

/// <summary>A handler made of delegates, which also records its calls.</summary>
public sealed class Probe : ConnectionHandler
{
    private readonly TaskCompletionSource<Connection> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<CloseReason> _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _closings;
    private long _received;

    public delegate int Receiver(Connection connection, ReadOnlySpan<byte> bytes, ref int needed);

    public Action<Connection>? WhenOpened { get; init; }

    public Receiver? WhenReceived { get; set; }

    public Action<Connection>? WhenDrained { get; init; }

    public Action<Connection>? WhenLowWater { get; init; }

    public Action<Connection>? WhenClosed { get; init; }

    public Task<Connection> Opened => _opened.Task;

    public Task<CloseReason> Closed => _closed.Task;

    public Exception? Error { get; private set; }

    /// <summary>The connection that the link or the dialer returned.</summary>
    public Connection? Made { get; set; }

    /// <summary>
    /// The connection of a pair that was connected; fails if this end was closed before it was opened.
    /// </summary>
    public Connection Connection => Opened.IsCompleted ? Opened.Result : throw new InvalidOperationException("It was never opened.");

    public int Closings => Volatile.Read(ref _closings);

    public long Received => Volatile.Read(ref _received);

    public override void OnOpened(Connection connection)
    {
        _opened.TrySetResult(connection);
        WhenOpened?.Invoke(connection);
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        int consumed = WhenReceived?.Invoke(connection, bytes, ref needed) ?? bytes.Length;
        Volatile.Write(ref _received, _received + consumed);
        return consumed;
    }

    public override void OnDrained(Connection connection) => WhenDrained?.Invoke(connection);

    public override void OnLowWater(Connection connection) => WhenLowWater?.Invoke(connection);

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        // A test reads the error when it has seen the count.
        Error = error;
        Interlocked.Increment(ref _closings);
        WhenClosed?.Invoke(connection);
        _closed.TrySetResult(reason);
    }

    /// <summary>Writes on the connection's loop, and returns when the loop has flushed it.</summary>
    public Task WriteAsync(ReadOnlyMemory<byte> bytes, Action<Connection>? then = null)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Connection connection = Connection;
        connection.Loop.Post(() =>
        {
            connection.GetWriteBuffer(connection.Loop).Write(bytes.Span);
            then?.Invoke(connection);
            // Runs in the next iteration.
            connection.Loop.Post(done.SetResult);
        });
        return done.Task.WaitAsync(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken);
    }
}
