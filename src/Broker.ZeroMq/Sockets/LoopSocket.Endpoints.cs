using System.Net;

namespace Broker.ZeroMq.Loops;

public abstract partial class LoopSocket
{
    private readonly SocketEndpoints _endpoints = new();

    /// <summary>
    /// The endpoint of the last <see cref="Bind"/> or <see cref="Connect"/> call; null before the first call. After a
    /// bind it contains the port or path that the system chose. May be read on any thread.
    /// </summary>
    public ZeroMqEndpoint? LastEndpoint => _endpoints.Last;

    /// <summary>Accepts peers at an endpoint. A host name is resolved on the caller's thread.</summary>
    /// <param name="endpoint">The endpoint to bind, in a form that <see cref="ZeroMqEndpoint"/> describes.</param>
    /// <param name="allowedAddresses">
    /// The networks that may connect to this endpoint; null for the networks in the socket's options.
    /// </param>
    /// <returns>The endpoint that was bound, with the port that the system chose.</returns>
    /// <exception cref="FormatException">The text is not an endpoint.</exception>
    /// <exception cref="ZeroMqBindException">The endpoint cannot be bound; the message contains the reason.</exception>
    /// <exception cref="InvalidOperationException">
    /// The endpoint is inproc, but the option <see cref="LoopSocketOptions.Inproc"/> is not set.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// The socket is closed, or the <see cref="InprocNames"/> object of its options is disposed.
    /// </exception>
    public ZeroMqEndpoint Bind(string endpoint, IReadOnlyList<IPNetwork>? allowedAddresses = null)
    {
        var asked = ZeroMqEndpoint.Parse(endpoint);
        ThrowIfClosing();
        ZeroMqEndpoint bound = asked;
        IDisposable listener = asked.IsInproc
            ? ListenInproc(asked)
            : _listener.Listen(asked, allowedAddresses ?? CommonOptions.AllowedAddresses, out bound);
        lock (_gate)
        {
            if (!_refusesEndpoints)
            {
                _endpoints.Add(asked, bound, listener);
            }
        }

        if (_refusesEndpoints)
        {
            listener.Dispose();
            ThrowIfClosing();
        }

        Report(new ZeroMqEvent(
            ZeroMqEventKind.Listening, bound.ToString(), bound.ToString(), Peer: null, Reason: null));
        return bound;
    }

    /// <summary>
    /// Stops accepting at an endpoint. The text may be the argument of the <see cref="Bind"/> call or its result.
    /// Connected peers stay connected.
    /// </summary>
    /// <returns>False if the endpoint is not bound.</returns>
    public bool Unbind(string endpoint)
    {
        string name = ZeroMqEndpoint.Parse(endpoint).ToString();
        IDisposable? listener;
        lock (_gate)
        {
            listener = _endpoints.TakeListener(name);
        }

        listener?.Dispose();
        return listener is not null;
    }

    /// <summary>
    /// Connects to an endpoint, and reconnects after the connection is lost or refused, until <see cref="Disconnect"/>.
    /// Returns at once: the peer may bind later.
    /// </summary>
    /// <exception cref="FormatException">The text is not an endpoint, or it contains a wildcard.</exception>
    /// <exception cref="InvalidOperationException">
    /// The endpoint is inproc, but the option <see cref="LoopSocketOptions.Inproc"/> is not set.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// The socket is closed, or the <see cref="InprocNames"/> object of its options is disposed.
    /// </exception>
    public void Connect(string endpoint) => ConnectAs(endpoint, routingId: null);

    /// <summary>Connects to an endpoint whose peer has the given routing id; null if it announces one.</summary>
    private protected void ConnectAs(string endpoint, byte[]? routingId)
    {
        var asked = ZeroMqEndpoint.Parse(endpoint);
        var link = new OutgoingLink(this, _singleLoop ?? Loops.Next(), asked, asked.IsInproc ? Names() : null)
        {
            RoutingId = routingId,
        };
        lock (_gate)
        {
            ThrowIfClosing();
            _endpoints.Add(asked, link);
        }

        OnConnecting(link);
        link.Start();
    }

    /// <summary>
    /// Closes the connection of a <see cref="Connect(string)"/> call. Messages that are queued for the peer are sent
    /// for up to the linger time.
    /// </summary>
    /// <returns>False if the socket is not connected to that endpoint.</returns>
    public bool Disconnect(string endpoint, TimeSpan linger = default)
    {
        string name = ZeroMqEndpoint.Parse(endpoint).ToString();
        OutgoingLink? link;
        lock (_gate)
        {
            link = _endpoints.TakeLink(name);
        }

        if (link is null)
        {
            return false;
        }

        link.Dispose();
        OnDisconnecting(link);
        link.Session?.Close(linger.Bounded());
        return true;
    }

    /// <summary>Removes a link because no peer can appear at its endpoint any more.</summary>
    internal void RemoveLink(OutgoingLink link)
    {
        lock (_gate)
        {
            _endpoints.Remove(link);
        }

        OnDisconnecting(link);
    }

    private IDisposable ListenInproc(ZeroMqEndpoint endpoint)
    {
        string name = endpoint.ToString();
        return Names().Bind(
            endpoint, InprocWindow, () => _singleLoop ?? Loops.Next(), loop => CreateSession(loop, name, link: null));
    }

    private InprocNames Names()
    {
        InprocNames names = Inproc ?? throw new InvalidOperationException(
            "An inproc:// endpoint needs a context. Create a ZeroMqContext and pass it to both sockets.");
        ObjectDisposedException.ThrowIf(names.IsDisposed, names);
        return names;
    }

    private void ThrowIfClosing() => ObjectDisposedException.ThrowIf(_refusesEndpoints, this);
}
