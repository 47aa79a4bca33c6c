using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Makes a server's options of settings, and says what is wrong with them before anything is started.</summary>
internal sealed class ServerSetup(IServiceProvider services) : IValidateOptions<BrokerSettings>
{
    private const string Systemd = "systemd";

    public ValidateOptionsResult Validate(string? name, BrokerSettings options)
    {
        try
        {
            Build(services, options).Validate();
            return options.Loops >= 0 ? ValidateOptionsResult.Success : Failed("Loops: it must not be negative.");
        }
        catch (Exception e) when (e is ArgumentException or FormatException or IOException or SocketException)
        {
            // Texts begin with the key, name it as a parameter, or speak of TLS and of its files.
            return Failed(
                e is ArgumentException { ParamName: { } key } ? $"{key[..1].ToUpperInvariant()}{key[1..]}: {e.Message}"
                : TlsKey(options.Tls, e.Message) is { } tls ? $"{tls}: {e.Message}"
                : e.Message);
        }

        static ValidateOptionsResult Failed(string problem) => ValidateOptionsResult.Fail($"{BrokerSettings.Section}:{problem}");
    }

    private static string? TlsKey(BrokerTlsSettings? tls, string problem)
    {
        if (tls is null)
        {
            return null;
        }

        string? key = Names(tls.CertificateFile) ? nameof(tls.CertificateFile)
            : Names(tls.KeyFile) ? nameof(tls.KeyFile)
            : Names(tls.ClientAuthorityFile) ? nameof(tls.ClientAuthorityFile) : null;
        return key is not null ? $"{nameof(BrokerSettings.Tls)}:{key}" : problem.StartsWith("TLS", StringComparison.Ordinal) ? nameof(BrokerSettings.Tls) : null;

        // As it was opened, with whatever folder is before it.
        bool Names(string? file) => file is not null && problem.Contains($"{file}'", StringComparison.Ordinal);
    }

    /// <summary>All but loops and logger.</summary>
    public static BrokerServerOptions Build(IServiceProvider services, BrokerSettings settings)
    {
        var options = new BrokerServerOptions { ServerName = settings.ServerName, ServerTags = [.. settings.ServerTags] };
        options.MaxPayload = settings.MaxPayload ?? options.MaxPayload;
        options.MaxControlLine = settings.MaxControlLine ?? options.MaxControlLine;
        options.MaxPending = settings.MaxPending ?? options.MaxPending;
        options.MaxPendingTotal = settings.MaxPendingTotal ?? options.MaxPendingTotal;
        options.SlowConsumers = settings.SlowConsumers ?? options.SlowConsumers;
        options.MaxSubscriptions = settings.MaxSubscriptions ?? options.MaxSubscriptions;
        options.MaxConnections = settings.MaxConnections ?? options.MaxConnections;
        options.WriteDeadline = settings.WriteDeadline ?? options.WriteDeadline;
        options.PingInterval = settings.PingInterval ?? options.PingInterval;
        options.PingMax = settings.PingMax ?? options.PingMax;
        options.ClientAdvertise = settings.ClientAdvertise;
        options.ConnectUrls = [.. settings.ConnectUrls];
        options.Tls = settings.Tls?.ToOptions(file => ContentRoot.Resolve(services, file));
        if (settings.AuthTimeout is { } authTimeout)
        {
            options.AuthTimeout = authTimeout;
        }

        options.Token = settings.Token;
        options.NoAuthUser = settings.NoAuthUser;
        options.Users = [.. settings.Users.Select(u => u.ToUser())];
        foreach (Action<IServiceProvider, BrokerServerOptions> configure in settings.Configurations)
        {
            configure(services, options);
        }

        AddAddresses(services, settings, options);
        return options;
    }

    private static void AddAddresses(IServiceProvider services, BrokerSettings settings, BrokerServerOptions options)
    {
        if (settings.InProcessOnly)
        {
            if (settings.Listen.Count > 0)
            {
                throw new ArgumentException("InProcessOnly and Listen contradict each other.");
            }

            return;
        }

        foreach (EndPoint endPoint in settings.Listen.SelectMany(address => ParseAll(address, file => ContentRoot.Resolve(services, file))))
        {
            options.Listen(endPoint);
        }

        if (options.EndPoints.Count == 0)
        {
            options.Listen();
        }
    }

    private static IEnumerable<EndPoint> ParseAll(string address, Func<string, string> resolve) => address.Split('/') switch
    {
        [Systemd] => Opened(address, null),
        [Systemd, var name] => Opened(address, name),
        _ => [Parse(address, resolve)],
    };

    private static IReadOnlyList<InheritedEndPoint> Opened(string address, string? name)
    {
        IReadOnlyList<InheritedEndPoint> all = OfSystemd();
        IReadOnlyList<InheritedEndPoint> wanted = [.. all.Where(e => name is null || string.Equals(e.Name, name, StringComparison.Ordinal))];
        return wanted.Count > 0 ? wanted : throw new ArgumentException(
            all.Count == 0
                ? $"Listen: \"{address}\" is for sockets that systemd has opened, and it has opened none for this process: is it started by its socket unit?"
                : $"Listen: \"{address}\" is none of the sockets that systemd has opened: {string.Join(", ", all)}.");
    }

    private static IReadOnlyList<InheritedEndPoint> OfSystemd()
    {
        try
        {
            return SystemdSockets.OfProcess();
        }
        catch (FormatException e)
        {
            throw new ArgumentException($"Listen: {e.Message}.", e);
        }
    }

    /// <param name="address">As the settings have it.</param>
    /// <param name="resolve">Where the path of a socket begins.</param>
    internal static EndPoint Parse(string address, Func<string, string> resolve)
        => Parse(address, resolve, Dns.GetHostAddresses, Socket.OSSupportsIPv6);

    /// <param name="address">As the settings have it.</param>
    /// <param name="resolve">Where the path of a socket begins.</param>
    /// <param name="lookUp">The addresses of a name.</param>
    /// <param name="hasIPv6">Whether this machine has IPv6.</param>
    internal static EndPoint Parse(string address, Func<string, string> resolve, Func<string, IPAddress[]> lookUp, bool hasIPv6)
    {
        if (address.StartsWith("unix:", StringComparison.Ordinal) && address.Length > "unix:".Length)
        {
            return new UnixDomainSocketEndPoint(resolve(address["unix:".Length..]));
        }

        int colon = address.LastIndexOf(':');
        if (int.TryParse(address.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out int port) && port <= IPEndPoint.MaxPort)
        {
            string host = colon < 0 ? "127.0.0.1" : address[..colon];
            if (host is "*")
            {
                return new IPEndPoint(hasIPv6 ? IPAddress.IPv6Any : IPAddress.Any, port);
            }

            if (IPAddress.TryParse(host.Trim('[', ']'), out IPAddress? ip))
            {
                return new IPEndPoint(ip, port);
            }

            if (host.Length > 0 && Uri.CheckHostName(host) == UriHostNameType.Dns)
            {
                return new IPEndPoint(AddressOf(host, address, lookUp), port);
            }
        }

        throw new ArgumentException($"Listen: \"{address}\" is none of \"host:port\", \"*:port\", \"port\", \"unix:/path\" and \"systemd\".");
    }

    // A name may stand for several addresses, such as localhost for that of IPv4 and of IPv6; the first is the usual one, in whatever order they come.
    private static IPAddress AddressOf(string host, string address, Func<string, IPAddress[]> lookUp)
    {
        try
        {
            return lookUp(host).OrderBy(a => a.AddressFamily).FirstOrDefault() ?? throw new SocketException((int)SocketError.HostNotFound);
        }
        catch (SocketException e)
        {
            throw new ArgumentException($"Listen: \"{address}\": the name {host} has no address: {e.Message}.", e);
        }
    }
}
