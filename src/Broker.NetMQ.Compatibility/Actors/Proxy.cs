namespace NetMQ;

/// <summary>
/// Passes messages on between two sockets, in both directions. Sockets of a proxy must not be used elsewhere while it
/// runs.
/// </summary>
public class Proxy
{
    private readonly NetMQSocket _frontend;
    private readonly NetMQSocket _backend;
    private readonly NetMQSocket? _controlIn;
    private readonly NetMQSocket? _controlOut;
    private readonly INetMQPoller? _given;
    private readonly Lock _gate = new();
    private bool _isStarted;
    private OwnPoller? _own;

    /// <summary>Creates a proxy.</summary>
    /// <param name="frontend">One socket.</param>
    /// <param name="backend">The other socket.</param>
    /// <param name="controlIn">Gets a copy of each message from the frontend; null for none.</param>
    /// <param name="controlOut">Gets a copy of each message from the backend; null for none.</param>
    /// <param name="poller">A poller with both sockets; null for a poller of the proxy's own.</param>
    public Proxy(
        NetMQSocket frontend,
        NetMQSocket backend,
        NetMQSocket? controlIn,
        NetMQSocket? controlOut,
        INetMQPoller? poller = null)
    {
        _frontend = frontend;
        _backend = backend;
        _controlIn = controlIn;
        _controlOut = controlOut ?? controlIn;
        _given = poller;
    }

    /// <summary>Creates a proxy.</summary>
    /// <param name="frontend">One socket.</param>
    /// <param name="backend">The other socket.</param>
    /// <param name="control">Gets a copy of each message; null for none.</param>
    /// <param name="poller">A poller with both sockets; null for a poller of the proxy's own.</param>
    public Proxy(NetMQSocket frontend, NetMQSocket backend, NetMQSocket? control = null, INetMQPoller? poller = null)
        : this(frontend, backend, control, null, poller)
    {
    }

    /// <summary>
    /// Starts the proxy. With a poller of its own the method returns when the proxy is stopped. With a given poller it
    /// returns at once, and the proxy works while the poller runs.
    /// </summary>
    /// <exception cref="InvalidOperationException">The proxy is started.</exception>
    public void Start()
    {
        OwnPoller? own = Begin();
        if (own is null)
        {
            return;
        }

        try
        {
            own.Run();
        }
        finally
        {
            lock (_gate)
            {
                End();
            }

            own.Dispose();
        }
    }

    /// <summary>Stops the proxy. Waits until the method that started it is about to return.</summary>
    /// <exception cref="InvalidOperationException">The proxy is not started.</exception>
    public void Stop()
    {
        OwnPoller? own;
        lock (_gate)
        {
            if (!_isStarted)
            {
                throw new InvalidOperationException("The proxy is not started.");
            }

            own = _own;
            if (own is null)
            {
                End();
            }
        }

        own?.Stop();
    }

    private OwnPoller? Begin()
    {
        lock (_gate)
        {
            if (_isStarted)
            {
                throw new InvalidOperationException("The proxy is already started.");
            }

            _isStarted = true;
            _frontend.ReceiveReady += OnFrontend;
            _backend.ReceiveReady += OnBackend;
            return _own = _given is null ? new OwnPoller(_frontend, _backend) : null;
        }
    }

    private void End()
    {
        _frontend.ReceiveReady -= OnFrontend;
        _backend.ReceiveReady -= OnBackend;
        _isStarted = false;
        _own = null;
    }

    private void OnFrontend(object? sender, NetMQSocketEventArgs e) => Pass(_frontend, _backend, _controlIn);

    private void OnBackend(object? sender, NetMQSocketEventArgs e) => Pass(_backend, _frontend, _controlOut);

    private static void Pass(NetMQSocket from, NetMQSocket to, NetMQSocket? control)
    {
        Msg frame = default;
        frame.InitEmpty();
        bool isReceived = from.TryReceive(ref frame, TimeSpan.Zero);
        while (isReceived)
        {
            isReceived = frame.HasMore;
            PassFrame(ref frame, to, control);
            if (isReceived)
            {
                from.Receive(ref frame);
            }
        }

        frame.Close();
    }

    private static void PassFrame(ref Msg frame, NetMQSocket to, NetMQSocket? control)
    {
        bool more = frame.HasMore;
        if (control is not null)
        {
            Msg copy = default;
            copy.Copy(ref frame);
            control.Send(ref copy, more);
            copy.Close();
        }

        to.Send(ref frame, more);
    }
}
