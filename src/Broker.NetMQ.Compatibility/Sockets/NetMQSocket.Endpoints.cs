namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly SocketEndpoints _endpoints = new();

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
    public void Connect(string address)
    {
        ThrowIfDisposed();
        EndpointAddress.Check(address);
        _endpoints.Connect(Started, address);
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

    private void OpenAll(string connectionString, DefaultAction defaultAction)
    {
        foreach (string part in connectionString.Split(
            ',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            bool binds = part[0] == '@' || (part[0] != '>' && defaultAction == DefaultAction.Bind);
            string address = part.TrimStart('@', '>');
            if (binds)
            {
                Bind(address);
            }
            else
            {
                Connect(address);
            }
        }
    }
}
