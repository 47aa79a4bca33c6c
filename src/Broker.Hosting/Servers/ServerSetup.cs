using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Converts settings to a server's options and validates them before anything starts.</summary>
internal sealed class ServerSetup(IServiceProvider services) : IValidateOptions<BrokerSettings>
{
    private const string Systemd = "systemd";

    public ValidateOptionsResult Validate(string? name, BrokerSettings options)
    {
        // As in nats-server, only one way to authenticate is allowed. A second, forgotten way would let clients in.
        if (options is { Token: not null, Users.Count: > 0 })
        {
            return Failed("Token: it and Users cannot be combined.");
        }

        if (options.Operator is not null && (options.Token is not null || options.Users.Count > 0))
        {
            return Failed("Operator: it and Users or Token cannot be combined.");
        }

        try
        {
            BrokerServerOptions built = Build(services, options);
            built.Validate();
            StreamsStart.Of(services, options, built, NullLogger.Instance);
            return options.Loops >= 0 ? ValidateOptionsResult.Success : Failed("Loops: it must not be negative.");
        }
        catch (Exception e) when (e is ArgumentException or FormatException or IOException or SocketException)
        {
            // The message begins with the key, or the exception has the key as its parameter's name, or the message is
            // about TLS.
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

        // The message contains the file's resolved path, which can have a folder in front of the configured path.
        bool Names(string? file) => file is not null && problem.Contains($"{file}'", StringComparison.Ordinal);
    }

    /// <summary>Applies all settings except the number of loops and the logger.</summary>
    public static BrokerServerOptions Build(IServiceProvider services, BrokerSettings settings)
    {
        var options = new BrokerServerOptions { ServerName = settings.ServerName, ServerTags = [.. settings.ServerTags] };
        options.MaxPayload = settings.MaxPayload ?? options.MaxPayload;
        options.MaxControlLine = settings.MaxControlLine ?? options.MaxControlLine;
        options.MaxPending = settings.MaxPending ?? options.MaxPending;
        options.MaxPendingTotal = settings.MaxPendingTotal ?? options.MaxPendingTotal;
        options.SlowConsumers = settings.SlowConsumers ?? options.SlowConsumers;
        options.StallFastPublishers = settings.StallFastPublishers ?? options.StallFastPublishers;
        options.MaxSubscriptions = settings.MaxSubscriptions ?? options.MaxSubscriptions;
        options.MaxSubscriptionTokens = settings.MaxSubscriptionTokens ?? options.MaxSubscriptionTokens;
        options.MaxConnections = settings.MaxConnections ?? options.MaxConnections;
        options.SampleSubjects = settings.SampleSubjects ?? options.SampleSubjects;
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
        options.Operator = settings.Operator?.ToOptions(file => ContentRoot.Resolve(services, file));
        options.SystemAccount = settings.Operator?.SystemAccount;
        options.AuthCallout = settings.AuthCallout?.ToOptions();
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
                throw new ArgumentException("InProcessOnly and Listen exclude each other: remove one of them.");
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
                ? $"Listen: \"{address}\" needs a socket from systemd, and systemd has passed none: start the process by its socket unit."
                : $"Listen: \"{address}\" is not one of the sockets that systemd has passed: {string.Join(", ", all)}.");
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

    /// <param name="address">The address as written in the settings.</param>
    /// <param name="resolve">Makes the path of a Unix socket absolute.</param>
    internal static EndPoint Parse(string address, Func<string, string> resolve)
        => Parse(address, resolve, Dns.GetHostAddresses, Socket.OSSupportsIPv6);

    /// <param name="address">The address as written in the settings.</param>
    /// <param name="resolve">Makes the path of a Unix socket absolute.</param>
    /// <param name="lookUp">Resolves a host name to addresses.</param>
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

    // A name can have several addresses: localhost has an IPv4 and an IPv6 address. The server uses the first address
    // in order of the address family, whatever the order of the lookup.
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
