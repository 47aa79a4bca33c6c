using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// A socket with the API of NetMQ. It is a socket of Broker.ZeroMq, which is created when it is first used, so that the
/// options can be set before.
/// </summary>
/// <remarks>Not thread-safe, as in NetMQ; only <see cref="Dispose()"/> may be called on any thread.</remarks>
public abstract partial class NetMQSocket : INetMQSocket
{
    private readonly ZeroMqContext _context = SharedContext.Current;
    private readonly Lock _gate = new();
    private StartedSocket? _started;
    private bool _hasNewOptions;

    // A message has passed or a poller watches: the socket of Broker.ZeroMq must not be replaced any more.
    private bool _isUsed;
    private volatile bool _isDisposed;

    internal NetMQSocket(string? connectionString, DefaultAction defaultAction)
    {
        Settings = new SocketSettings
        {
            Linger = NetMQConfig.Linger,
            OnEvent = _events.Observe,
            OnReconnect = _events.ObserveReconnect,
        };
        Options = new SocketOptions(this);
        _handlers = new SocketHandlers(this);
        _settling = new InprocSettling(_context);
        _endpoints = new SocketEndpoints(_events);
        foreach ((string address, bool binds) in ConnectionString.Parse(connectionString, defaultAction))
        {
            Action<string> open = binds ? Bind : Connect;
            open(address);
        }
    }

    /// <inheritdoc/>
    public SocketOptions Options { get; }

    /// <inheritdoc/>
    public bool IsDisposed => _isDisposed;

    NetMQSocket ISocketPollable.Socket => this;

    internal SocketSettings Settings { get; }

    /// <summary>The socket of Broker.ZeroMq, which this call creates if necessary.</summary>
    private protected StartedSocket Started => _started is { } started && !_hasNewOptions ? started : Start();

    /// <inheritdoc/>
    public void Close() => Dispose();

    /// <summary>
    /// Closes the socket. The addresses that it had bound are free when the method returns. Messages that wait are sent
    /// for up to the linger time, for which <see cref="NetMQConfig.Cleanup"/> waits.
    /// </summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    internal void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    internal void OnOptionChanged() => _hasNewOptions = _started is not null && !_isUsed;

    /// <summary>Creates the socket of Broker.ZeroMq with the current options.</summary>
    internal abstract StartedSocket Create(ZeroMqContext context);

    /// <summary>Closes the socket.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
        lock (_gate)
        {
            if (!disposing || _isDisposed)
            {
                return;
            }

            _isDisposed = true;
        }

        Readiness.WakeAll();
        _endpoints.ReportClosed();
        _events.Dispose();
        if (_started is { } started)
        {
            CloseStarted(started, SocketSettings.Limit(Settings.Linger));
        }
    }

    // A message to a socket of this process has arrived when the send returns, so it must survive the sender.
    private void CloseStarted(StartedSocket started, TimeSpan linger)
    {
        if (_endpoints.UsesInproc)
        {
            var least = TimeSpan.FromSeconds(1);
            linger = linger >= TimeSpan.Zero && linger < least ? least : linger;
            SharedContext.Settle(_context);
        }

        _endpoints.ReleaseNames();
        _ = started.Socket.CloseAsync(linger);
        started.Socket.Dispose();
    }

    private StartedSocket Start()
    {
        lock (_gate)
        {
            ThrowIfDisposed();
            StartedSocket? before = _started;
            if (before is not null && !_hasNewOptions)
            {
                return before;
            }

            _hasNewOptions = false;
            if (before is not null)
            {
                CloseStarted(before, TimeSpan.Zero);
            }

            _started = Create(_context);
            _endpoints.Reopen(_started);
            Readiness.Attach(_started);
            return _started;
        }
    }
}
