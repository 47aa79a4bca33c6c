namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly SocketEventFeed _events = new();
    private readonly SocketEndpoints _endpoints;

    /// <summary>The address of the last bind or connect; null before the first.</summary>
    internal string? LastEndpoint => _endpoints.Last;

    /// <inheritdoc/>
    public void Bind(string address)
    {
        ThrowIfDisposed();
        EndpointAddress.Check(address);
        _endpoints.Bind(Started, address);
    }

    /// <inheritdoc/>
    public int BindRandomPort(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        ThrowIfDisposed();
        EndpointAddress.RequireTcp(address);
        Bind(address + ":0");
        return EndpointAddress.PortOf(LastEndpoint!);
    }

    /// <inheritdoc/>
    public void Connect(string address) => Connect(address, routingId: null);

    /// <summary>Connects to an address, whose peer has the given routing id here if there is one.</summary>
    private protected void Connect(string address, byte[]? routingId)
    {
        ThrowIfDisposed();
        EndpointAddress.Check(address);
        _endpoints.Connect(Started, address, routingId);
        if (EndpointAddress.IsInproc(address))
        {
            InprocTraffic.Add();
            SharedContext.Settle(_context);
        }
    }

    /// <inheritdoc/>
    public void Disconnect(string address)
    {
        ThrowIfDisposed();
        EndpointAddress.Check(address);
        _endpoints.Disconnect(Started, address);
        Settle();
    }

    /// <inheritdoc/>
    public void Unbind(string address)
    {
        ThrowIfDisposed();
        EndpointAddress.Check(address);
        _endpoints.Unbind(Started, address);
    }

    /// <inheritdoc/>
    public void Monitor(string endpoint, SocketEvents events = SocketEvents.All)
    {
        ArgumentException.ThrowIfNullOrEmpty(endpoint);
        lock (_gate)
        {
            ThrowIfDisposed();
            EndpointAddress.RequireInproc(endpoint);
            _events.SendTo(new EventSender(endpoint, events, _context));
        }
    }
}
