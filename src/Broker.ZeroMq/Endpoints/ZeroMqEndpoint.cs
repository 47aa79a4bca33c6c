using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMq.Endpoints;

/// <summary>
/// Where a socket binds or connects, in ZeroMQ's notation: <c>tcp://127.0.0.1:5556</c>, <c>tcp://*:5556</c> (all IPv4 interfaces),
/// <c>tcp://[::]:5556</c> (all interfaces, IPv4 and IPv6), <c>tcp://host:5556</c>, <c>tcp://127.0.0.1:*</c> or <c>:0</c> (a free
/// port), <c>ipc:///path/of/socket</c> and, on Linux, <c>ipc://@name</c> in the abstract namespace.
/// </summary>
/// <remarks>Immutable. Compare by <see cref="ToString"/>, which is normalised.</remarks>
public sealed partial class ZeroMqEndpoint
{
    private const string AnyHost = "*";

    private readonly string? _path;
    private readonly string _host;
    private readonly IPAddress? _address;

    private ZeroMqEndpoint(string path)
    {
        _path = path;
        _host = "";
    }

    private ZeroMqEndpoint(string host, IPAddress? address, int port)
    {
        _host = host;
        _address = address;
        Port = port;
    }

    /// <summary>Whether this is a Unix domain socket.</summary>
    public bool IsIpc => _path is not null;

    /// <summary>The TCP host: a name, an address without brackets, or <c>*</c>; empty for ipc.</summary>
    public string Host => _address is null ? _host : _address.ToString();

    /// <summary>The TCP port; 0 asks for a free one. 0 for ipc too.</summary>
    public int Port { get; }

    /// <summary>Whether it stands for any interface or any port, and so can be bound and not connected to.</summary>
    public bool IsWildcard => _path is null && (Port == 0 || string.Equals(_host, AnyHost, StringComparison.Ordinal));

    /// <summary>The file of a Unix domain socket; null for TCP and for the abstract namespace.</summary>
    public string? Path => _path is ['@', ..] ? null : _path;

    /// <inheritdoc/>
    public override string ToString() => this switch
    {
        { _path: not null } => IpcScheme + _path,
        { _address.AddressFamily: AddressFamily.InterNetworkV6 } => $"{TcpScheme}[{_address}]:{Port}",
        _ => $"{TcpScheme}{_host}:{Port}",
    };

    /// <summary>The endpoint of an address that is in use, such as the far end of a connection.</summary>
    internal static string Show(EndPoint? endPoint, string otherwise) => endPoint switch
    {
        IPEndPoint { Address.IsIPv4MappedToIPv6: true } ip => $"{TcpScheme}{ip.Address.MapToIPv4()}:{ip.Port}",
        IPEndPoint ip => $"{TcpScheme}{ip}",
        _ => otherwise,
    };

    /// <summary>The same endpoint with the port that the system chose.</summary>
    internal ZeroMqEndpoint WithPort(EndPoint bound) =>
        bound is IPEndPoint { Address: var address, Port: var port } ? new ZeroMqEndpoint(address.ToString(), address, port) : this;

    /// <summary>What to listen on. Looks a name up, so it may wait for a name server.</summary>
    /// <exception cref="SocketException">The name is not known.</exception>
    internal EndPoint ToBind()
    {
        if (_path is not null)
        {
            return Unix();
        }

        if (string.Equals(_host, AnyHost, StringComparison.Ordinal))
        {
            return new IPEndPoint(IPAddress.Any, Port);
        }

        if (_address is not null)
        {
            return new IPEndPoint(_address, Port);
        }

        var addresses = Dns.GetHostAddresses(_host);
        return new IPEndPoint(Array.Find(addresses, a => a.AddressFamily == AddressFamily.InterNetwork) ?? addresses[0], Port);
    }

    /// <summary>What to dial. A name is looked up by each attempt anew.</summary>
    /// <exception cref="FormatException">A wildcard cannot be connected to.</exception>
    internal EndPoint ToConnect()
    {
        if (_path is not null)
        {
            return Unix();
        }

        if (IsWildcard)
        {
            throw new FormatException($"'{this}' cannot be connected to: it has a wildcard.");
        }

        return _address is not null ? new IPEndPoint(_address, Port) : new DnsEndPoint(_host, Port);
    }

    private UnixDomainSocketEndPoint Unix() => new(_path is ['@', ..] ? '\0' + _path[1..] : _path!);
}
