using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.Transport;

namespace NetMQ;

public abstract partial class NetMQSocket
{
    private const string Inproc = "inproc://";
    private readonly List<OpenEndpoint> _endpoints = [];
    private bool _usesInproc;

    /// <summary>The address of the last bind or connect; null before the first.</summary>
    internal string? LastEndpoint { get; private set; }

    /// <inheritdoc/>
    public void Bind(string address)
    {
        CheckAddress(address);
        StartedSocket started = Started;
        BindTo(started, address);
        if (IsInproc(address))
        {
            InprocBinders.Add(address, this);
            _usesInproc = true;
        }

        LastEndpoint = started.Socket.LastEndpoint!;
        _endpoints.Add(new OpenEndpoint(address, LastEndpoint, IsBound: true));
    }

    /// <inheritdoc/>
    public int BindRandomPort(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        ThrowIfDisposed();
        if (!address.StartsWith("tcp://", StringComparison.Ordinal))
        {
            throw new ProtocolNotSupportedException(null, "Only tcp:// has ports.");
        }

        Bind(address + ":0");
        return int.Parse(
            LastEndpoint.AsSpan(LastEndpoint!.LastIndexOf(':') + 1), NumberStyles.None, CultureInfo.InvariantCulture);
    }

    /// <inheritdoc/>
    public void Connect(string address)
    {
        CheckAddress(address);
        StartedSocket started = Started;
        if (IsInproc(address) && !InprocBinders.Contains(address))
        {
            throw new EndpointNotFoundException(null, $"No socket has bound {address}.");
        }

        ConnectTo(started, address);
        LastEndpoint = address;
        _endpoints.Add(new OpenEndpoint(address, address, IsBound: false));
        if (IsInproc(address))
        {
            _usesInproc = true;
            InprocTraffic.Add();
            SharedContext.Settle(_context);
        }
    }

    /// <inheritdoc/>
    public void Disconnect(string address) => CloseEndpoint(address, isBound: false);

    /// <inheritdoc/>
    public void Unbind(string address) => CloseEndpoint(address, isBound: true);

    private void CloseEndpoint(string address, bool isBound)
    {
        CheckAddress(address);
        int at = _endpoints.FindIndex(open => open.IsBound == isBound && open.Matches(address));
        if (at < 0)
        {
            throw new EndpointNotFoundException(null, $"The socket does not use {address}.");
        }

        OpenEndpoint closed = _endpoints[at];
        _endpoints.RemoveAt(at);
        if (!isBound)
        {
            Started.Socket.Disconnect(closed.Address);
            Settle();
            return;
        }

        InprocBinders.Remove(closed.Address, this);
        Started.Socket.Unbind(closed.Actual);
    }

    /// <summary>Opens the endpoints again on a socket that replaces another.</summary>
    private void Reopen(StartedSocket started)
    {
        foreach (OpenEndpoint open in _endpoints)
        {
            if (open.IsBound)
            {
                BindTo(started, open.Actual);
                if (IsInproc(open.Address))
                {
                    InprocBinders.Add(open.Address, this);
                }
            }
            else
            {
                ConnectTo(started, open.Address);
            }
        }
    }

    private void ForgetInproc() => _endpoints.ForEach(open => InprocBinders.Remove(open.Address, this));

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

    private static bool IsInproc(string address) => address.StartsWith(Inproc, StringComparison.Ordinal);

    private static void BindTo(StartedSocket started, string address)
    {
        try
        {
            started.Socket.Bind(address);
        }
        catch (ListenException failure) when (failure.Error == SocketError.AddressAlreadyInUse)
        {
            throw new AddressAlreadyInUseException(failure, failure.Message);
        }
        catch (ListenException failure)
        {
            throw NetMQException.Create(failure.Error, failure);
        }
        catch (FormatException failure)
        {
            throw new ArgumentException(failure.Message, nameof(address), failure);
        }
    }

    private static void ConnectTo(StartedSocket started, string address)
    {
        try
        {
            started.Socket.Connect(address);
        }
        catch (FormatException failure)
        {
            throw new ArgumentException(failure.Message, nameof(address), failure);
        }
    }

    private void CheckAddress(string address)
    {
        ThrowIfDisposed();
        int scheme = address.IndexOf("://", StringComparison.Ordinal);
        ArgumentOutOfRangeException.ThrowIfNegative(scheme, nameof(address));
        switch (address[..scheme])
        {
            case "tcp":
                CheckPort(address);
                break;
            case "inproc" or "ipc":
                break;
            default:
                throw new ProtocolNotSupportedException(
                    null, $"The transport of {address} is not supported: it must be tcp, ipc or inproc.");
        }
    }

    private static void CheckPort(string address)
    {
        int colon = address.LastIndexOf(':');
        if (colon < "tcp://".Length)
        {
            throw new InvalidException(null!, $"The port is missing in {address}.");
        }

        string port = address[(colon + 1)..];
        if (port is not "*")
        {
            int number = int.Parse(port, CultureInfo.InvariantCulture);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(number, IPEndPoint.MaxPort, nameof(address));
        }
    }

    /// <summary>An address that the socket uses.</summary>
    private sealed record OpenEndpoint(string Address, string Actual, bool IsBound)
    {
        internal bool Matches(string address)
            => string.Equals(Address, address, StringComparison.Ordinal)
                || string.Equals(Actual, address, StringComparison.Ordinal);
    }
}
