using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Broker.ZeroMq;

/// <summary>The address at which a socket binds or to which it connects, in ZeroMQ's notation.</summary>
/// <remarks>
/// <list type="bullet">
/// <item><c>tcp://127.0.0.1:5556</c>, <c>tcp://host:5556</c>: an address or a host name.</item>
/// <item><c>tcp://*:5556</c>: all IPv4 interfaces; only for binding.</item>
/// <item><c>tcp://[::]:5556</c>: all IPv4 and IPv6 interfaces; only for binding.</item>
/// <item><c>tcp://[fe80::1%eth0]:5556</c>: an IPv6 address with its scope.</item>
/// <item><c>tcp://eth0:5556</c>: the address of a network interface; only for binding.</item>
/// <item><c>tcp://127.0.0.1:*</c> or <c>tcp://127.0.0.1:0</c>: a free port; only for binding.</item>
/// <item><c>tcp://192.0.2.1:0;host:5556</c>: a connection to <c>host:5556</c> from the source address 192.0.2.1.</item>
/// <item><c>ipc:///path/of/socket</c>: a Unix domain socket.</item>
/// <item>
/// <c>ipc://*</c>: a Unix domain socket with a new path in the folder for temporary files; only for binding.
/// </item>
/// <item><c>ipc://@name</c>: a Unix domain socket in the abstract namespace; only on Linux.</item>
/// <item><c>inproc://name</c>: a socket of this process that uses the same <see cref="InprocNames"/> object.</item>
/// </list>
/// <para>Immutable. Compare endpoints by <see cref="ToString"/>, which is normalised.</para>
/// </remarks>
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

    /// <summary>Whether this is an <c>inproc://</c> name.</summary>
    public bool IsInproc => _name is not null;

    /// <summary>
    /// The TCP host: a name, an address without brackets, or <c>*</c>. It is empty for ipc and inproc.
    /// </summary>
    public string Host => _address is null ? _host : _address.ToString();

    /// <summary>The TCP port; 0 asks for a free port. It is also 0 for ipc and inproc.</summary>
    public int Port { get; }

    /// <summary>
    /// Whether the endpoint means any interface, any port or any path. Such an endpoint can be bound but not connected
    /// to.
    /// </summary>
    public bool IsWildcard => _name is null && (_path is null
        ? Port == 0 || string.Equals(_host, AnyHost, StringComparison.Ordinal)
        : string.Equals(_path, AnyHost, StringComparison.Ordinal));

    /// <summary>The file of a Unix domain socket; null for TCP, inproc and the abstract namespace.</summary>
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

    /// <summary>Whether this is the text of an <c>inproc://</c> endpoint.</summary>
    internal static bool IsInprocText(string endpoint) => endpoint.StartsWith(InprocScheme, StringComparison.Ordinal);

    /// <summary>
    /// Returns an address as the text of an endpoint, for example the remote address of a connection. Returns
    /// <paramref name="otherwise"/> if the address is not an IP address.
    /// </summary>
    internal static string Show(EndPoint? endPoint, string otherwise) => endPoint switch
    {
        IPEndPoint { Address.IsIPv4MappedToIPv6: true } ip => $"{TcpScheme}{ip.Address.MapToIPv4()}:{ip.Port}",
        IPEndPoint ip => $"{TcpScheme}{ip}",
        _ => otherwise,
    };

    /// <summary>Returns this endpoint with the port or path that the system chose.</summary>
    internal ZeroMqEndpoint WithPort(EndPoint bound) => bound switch
    {
        IPEndPoint { Address: var address, Port: var port } => new ZeroMqEndpoint(address.ToString(), address, port),
        UnixDomainSocketEndPoint when IsWildcard => new ZeroMqEndpoint(path: bound.ToString()!, name: null),
        _ => this,
    };

    /// <summary>
    /// Returns the address to listen on. The call resolves a host name, so it may wait for a name server.
    /// </summary>
    /// <exception cref="SocketException">The host name is unknown.</exception>
    /// <exception cref="FormatException">The endpoint has a source address, which is only for connecting.</exception>
    internal EndPoint ToBind()
    {
        if (_source is not null)
        {
            throw new FormatException($"'{this}' cannot be bound: a source address is only for connecting.");
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

        // Search the interfaces first, because a host in a container network may have the same name as an interface.
        IPAddress[] addresses = NetworkInterfaces.AddressesOf(_host);
        if (addresses.Length == 0)
        {
            addresses = Dns.GetHostAddresses(_host);
        }

        return new IPEndPoint(Array.Find(addresses, a => a.AddressFamily == AddressFamily.InterNetwork) ?? addresses[0], Port);
    }

    /// <summary>
    /// Returns the source address for connecting, or null if the system may choose it. The call resolves a host name,
    /// as <see cref="ToBind"/> does.
    /// </summary>
    /// <exception cref="SocketException">The host name is unknown.</exception>
    internal EndPoint? ToSource() => _source?.ToBind();

    /// <summary>Returns the address to connect to. Each attempt resolves a host name anew.</summary>
    /// <exception cref="FormatException">The endpoint is a wildcard, which cannot be connected to.</exception>
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

    // The name has 128 random bits, so no other process can create the file first.
    private static UnixDomainSocketEndPoint NewPath()
        => new(System.IO.Path.Combine(System.IO.Path.GetTempPath(), "zmq-" + Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16))));

    private UnixDomainSocketEndPoint Unix() => new(_path is ['@', ..] ? '\0' + _path[1..] : _path!);
}
