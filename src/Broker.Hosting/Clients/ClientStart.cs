using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Connects a client of a host.</summary>
internal static class ClientStart
{
    private static readonly string[] Checked =
    [
        nameof(BrokerClientSettings.Servers), nameof(BrokerClientSettings.Name), nameof(BrokerClientSettings.User), nameof(BrokerClientSettings.Password),
        nameof(BrokerClientSettings.Token), nameof(BrokerClientSettings.ConnectTimeout), nameof(BrokerClientSettings.RequestTimeout), nameof(BrokerClientSettings.PingInterval),
        nameof(BrokerClientSettings.ReconnectBufferSize), nameof(BrokerClientSettings.MaxReconnectAttempts),
    ];

    /// <exception cref="OptionsValidationException">
    /// A setting is wrong. The message contains the setting's key.
    /// </exception>
    public static BrokerConnection Start(IServiceProvider services, string name)
    {
        BrokerClientSettings settings = services.GetRequiredService<IOptionsMonitor<BrokerClientSettings>>().Get(name);
        string section = name.Length == 0 ? BrokerClientSettings.Section : ConfigurationPath.Combine(BrokerClientSettings.NamedSection, name);
        if (settings.FirstConnect == FirstConnect.Retry)
        {
            throw Wrong(name, $"{section}:{nameof(settings.FirstConnect)}: Retry could block the start forever; use Background instead.");
        }

        try
        {
            return Blocking.Run(() => BrokerConnection.ConnectAsync(Options(services, settings, name)));
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            if (e is FormatException && settings.AreServersFromConnectionString)
            {
                throw Wrong(name, $"ConnectionStrings:{(name.Length == 0 ? BrokerClientSettings.ConnectionString : name)}: {e.Message}");
            }

            throw Wrong(name, Key(services, settings, e) is { } key ? $"{section}:{key}: {e.Message}" : $"{section}: {e.Message}");
        }
    }

    /// <summary>Returns the key of the wrong setting; null if it is not known.</summary>
    // A message of ClientOptions begins with the name of the wrong option, and a message about TLS begins with "TLS".
    // Only a wrong address causes a FormatException.
    public static string? Key(IServiceProvider services, BrokerClientSettings settings, Exception wrong) => wrong switch
    {
        FormatException => nameof(settings.Servers),
        _ when wrong.Message.StartsWith("TLS", StringComparison.Ordinal) => TlsKey(services, settings),
        _ => Array.Find(Checked, key => wrong.Message.StartsWith(key + " ", StringComparison.Ordinal)),
    };

    // The result is the key of the first file that does not exist. If all files exist, it is the key of the first
    // configured file.
    private static string? TlsKey(IServiceProvider services, BrokerClientSettings settings)
    {
        (string Key, string? File)[] all =
        [
            (nameof(settings.TlsAuthorityFile), settings.TlsAuthorityFile),
            (nameof(settings.TlsCertificateFile), settings.TlsCertificateFile),
            (nameof(settings.TlsKeyFile), settings.TlsKeyFile),
        ];
        (string Key, string? File)[] said = [.. all.Where(static one => one.File is not null)];
        return said.FirstOrDefault(one => !File.Exists(ContentRoot.Resolve(services, one.File)), said.FirstOrDefault()).Key;
    }

    private static OptionsValidationException Wrong(string name, string problem) => new(name, typeof(BrokerClientSettings), [problem]);

    /// <summary>Applies the settings to options that already contain the host's loops.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="settings">
    /// The settings. If they name no server, the client connects to the host's own server.
    /// </param>
    /// <param name="options">The options to start from. An option without a setting keeps its value.</param>
    public static ClientOptions Apply(IServiceProvider services, BrokerClientSettings settings, ClientOptions options)
    {
        BrokerServer? server = settings.Servers.Count == 0 ? services.GetService<BrokerServer>() : null;
        options = options with
        {
            Servers = settings.Servers.Count == 0 ? options.Servers : [.. settings.Servers],
            // A user of this host's own server needs no password: the host passes the user to the server directly.
            Dialer = server?.CreateDialer(settings.Password is null ? settings.User : null),
            Name = settings.Name ?? options.Name,
            User = settings.Password is null && server is not null ? null : settings.User,
            Password = settings.Password,
            Token = settings.Token,
            FirstConnect = settings.FirstConnect,
            ConnectTimeout = settings.ConnectTimeout ?? options.ConnectTimeout,
            RequestTimeout = settings.RequestTimeout ?? options.RequestTimeout,
            PingInterval = settings.PingInterval ?? options.PingInterval,
            ReconnectBufferSize = settings.ReconnectBufferSize ?? options.ReconnectBufferSize,
            MaxReconnectAttempts = settings.MaxReconnectAttempts ?? options.MaxReconnectAttempts,
            Tracing = settings.Tracing,
            Tls = Tls(services, settings),
        };
        return settings.Configurations.Aggregate(options, (o, configure) => configure(services, o));
    }

    private static ClientOptions Options(IServiceProvider services, BrokerClientSettings settings, string name)
    {
        string? shown = name.Length == 0 ? null : name;
        ClientOptions options = Apply(
            services, settings, new ClientOptions
            {
                Name = shown,
                Loops = services.GetRequiredService<EventLoopGroup>(),
                LoggerFactory = services.GetRequiredService<ILoggerFactory>(),
            });
        // The handler is added after the application's callbacks have run, so that it does not replace a handler of
        // theirs.
        var log = new HostingLog(services.GetRequiredService<ILoggerFactory>());
        HostedState state = services.GetRequiredService<HostedState>();
        string client = options.Name ?? "(default)";
        return options with
        {
            OnClosed = new Action<BrokerConnection>(_ =>
            {
                if (!state.IsDraining)
                {
                    log.ClientClosed(client);
                }
            }) + options.OnClosed,
        };
    }

    private static ClientTlsOptions? Tls(IServiceProvider services, BrokerClientSettings settings)
        => settings is { TlsAuthorityFile: null, TlsCertificateFile: null, TlsKeyFile: null }
            ? null
            : new ClientTlsOptions
            {
                AuthorityFile = ContentRoot.Resolve(services, settings.TlsAuthorityFile),
                CertificateFile = ContentRoot.Resolve(services, settings.TlsCertificateFile),
                KeyFile = ContentRoot.Resolve(services, settings.TlsKeyFile),
                KeyPassword = settings.TlsKeyPassword,
            };
}
