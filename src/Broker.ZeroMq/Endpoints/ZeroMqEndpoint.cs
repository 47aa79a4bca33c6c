using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Broker.ZeroMq.Endpoints;

/// <summary>
/// Where a socket binds or connects, in ZeroMQ's notation: <c>tcp://127.0.0.1:5556</c>, <c>tcp://*:5556</c> (all IPv4 interfaces),
/// <c>tcp://[::]:5556</c> (all interfaces, IPv4 and IPv6), <c>tcp://[fe80::1%eth0]:5556</c> (an address with its scope),
/// <c>tcp://eth0:5556</c> (to bind: the address of an interface), <c>tcp://host:5556</c>, <c>tcp://127.0.0.1:*</c> or <c>:0</c> (a free
/// port), <c>tcp://192.0.2.1:0;host:5556</c> (to connect: from that address), <c>ipc:///path/of/socket</c>, <c>ipc://*</c> (to bind: a new path
/// in the folder for temporary files), on Linux <c>ipc://@name</c> in the abstract namespace, and <c>inproc://name</c> for sockets with the
/// same <see cref="InprocNames"/>.
/// </summary>
/// <remarks>Immutable. Compare by <see cref="ToString"/>, which is normalised.</remarks>
public sealed partial class ZeroMqEndpoint
{
    private const string AnyHost = "*";

    private readonly string? _path;
    private readonly string? _name;
    private readonly string _host;
    private readonly IPAddress? _address;
    private readonly ZeroMqEndpoint? _source;

    private ZeroMqEndpoint(ZeroMqEndpoint destination, ZeroMqEndpoint source)
        : this(destination._host, destination._address, destination.Port)
    {
        _source = source;
    }

    private ZeroMqEndpoint(string? path, string? name)
    {
        _path = path;
        _name = name;
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

    /// <summary>Whether this is a name within the process.</summary>
    public bool IsInproc => _name is not null;

    /// <summary>The TCP host: a name, an address without brackets, or <c>*</c>; empty for ipc and inproc.</summary>
    public string Host => _address is null ? _host : _address.ToString();

    /// <summary>The TCP port; 0 asks for a free one. 0 for ipc and inproc too.</summary>
    public int Port { get; }

    /// <summary>Whether it stands for any interface or any port, and so can be bound and not connected to.</summary>
    public bool IsWildcard => _name is null && (_path is null
        ? Port == 0 || string.Equals(_host, AnyHost, StringComparison.Ordinal)
        : string.Equals(_path, AnyHost, StringComparison.Ordinal));

    /// <summary>The file of a Unix domain socket; null for TCP and for the abstract namespace.</summary>
    public string? Path => _path is ['@', ..] ? null : _path;

    /// <inheritdoc/>
    public override string ToString() => this switch
    {
        { _path: not null } => IpcScheme + _path,
        { _name: not null } => InprocScheme + _name,
        { _source: not null } => $"{TcpScheme}{_source.HostAndPort};{HostAndPort}",
        _ => TcpScheme + HostAndPort,
    };

    private string HostAndPort => _address is { AddressFamily: AddressFamily.InterNetworkV6 } ? $"[{_address}]:{Port}" : $"{_host}:{Port}";

    /// <summary>Whether the text of an endpoint is that of a name within the process.</summary>
    internal static bool IsInprocText(string endpoint) => endpoint.StartsWith(InprocScheme, StringComparison.Ordinal);

    /// <summary>The endpoint of an address that is in use, such as the far end of a connection.</summary>
    internal static string Show(EndPoint? endPoint, string otherwise) => endPoint switch
    {
        IPEndPoint { Address.IsIPv4MappedToIPv6: true } ip => $"{TcpScheme}{ip.Address.MapToIPv4()}:{ip.Port}",
        IPEndPoint ip => $"{TcpScheme}{ip}",
        _ => otherwise,
    };

    /// <summary>The same endpoint with the port or the path that was chosen.</summary>
    internal ZeroMqEndpoint WithPort(EndPoint bound) => bound switch
    {
        IPEndPoint { Address: var address, Port: var port } => new ZeroMqEndpoint(address.ToString(), address, port),
        UnixDomainSocketEndPoint when IsWildcard => new ZeroMqEndpoint(path: bound.ToString()!, name: null),
        _ => this,
    };

    /// <summary>What to listen on. Looks a name up, so it may wait for a name server.</summary>
    /// <exception cref="SocketException">The name is not known.</exception>
    /// <exception cref="FormatException">It has a source, which is for connecting.</exception>
    internal EndPoint ToBind()
    {
        if (_source is not null)
        {
            throw new FormatException($"'{this}' cannot be bound to: it has a source address.");
        }

        if (_path is not null)
        {
            return IsWildcard ? NewPath() : Unix();
        }

        if (string.Equals(_host, AnyHost, StringComparison.Ordinal))
        {
            return new IPEndPoint(IPAddress.Any, Port);
        }

        if (_address is not null)
        {
            return new IPEndPoint(_address, Port);
        }

        // An interface first: in a network of containers its name may be a host's as well.
        var addresses = NetworkInterfaces.AddressesOf(_host);
        if (addresses.Length == 0)
        {
            addresses = Dns.GetHostAddresses(_host);
        }

        return new IPEndPoint(Array.Find(addresses, a => a.AddressFamily == AddressFamily.InterNetwork) ?? addresses[0], Port);
    }

    /// <summary>From where to dial; null for wherever the system likes. Looks a name up, as <see cref="ToBind"/> does.</summary>
    /// <exception cref="SocketException">The name is not known.</exception>
    internal EndPoint? ToSource() => _source?.ToBind();

    /// <summary>What to dial. A name is looked up by each attempt anew.</summary>
    /// <exception cref="FormatException">A wildcard cannot be connected to.</exception>
    internal EndPoint ToConnect()
    {
        if (IsWildcard)
        {
            throw new FormatException($"'{this}' cannot be connected to: it has a wildcard.");
        }

        if (_path is not null)
        {
            return Unix();
        }

        return _address is not null ? new IPEndPoint(_address, Port) : new DnsEndPoint(_host, Port);
    }

    // 128 random bits: nobody can be there first.
    private static UnixDomainSocketEndPoint NewPath() =>
        new(System.IO.Path.Combine(System.IO.Path.GetTempPath(), "zmq-" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16))));

    private UnixDomainSocketEndPoint Unix() => new(_path is ['@', ..] ? '\0' + _path[1..] : _path!);
}
