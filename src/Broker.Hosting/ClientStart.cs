using Broker.Client;
using Broker.Client.Tls;
using Broker.Hosting.Settings;
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
    /// <exception cref="OptionsValidationException">A setting is wrong; the text names its key.</exception>
    public static BrokerConnection Start(IServiceProvider services, string name)
    {
        BrokerClientSettings settings = services.GetRequiredService<IOptionsMonitor<BrokerClientSettings>>().Get(name);
        string section = name.Length == 0 ? BrokerClientSettings.Section : ConfigurationPath.Combine(BrokerClientSettings.NamedSection, name);
        if (settings.FirstConnect == FirstConnect.Retry)
        {
            throw Wrong(name, $"{section}:{nameof(settings.FirstConnect)}: Retry would hold up the start without an end; Background does not.");
        }

        try
        {
            return Blocking.Run(() => BrokerConnection.ConnectAsync(Options(services, settings, name)));
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            throw Wrong(name, $"{section}: {e.Message}");
        }
    }

    private static OptionsValidationException Wrong(string name, string problem) => new(name, typeof(BrokerClientSettings), [problem]);

    private static ClientOptions Options(IServiceProvider services, BrokerClientSettings settings, string name)
    {
        BrokerServer? server = settings.Servers.Count == 0 ? services.GetService<BrokerServer>() : null;
        var options = new ClientOptions();
        options = options with
        {
            Servers = settings.Servers.Count == 0 ? options.Servers : [.. settings.Servers],
            // A user of this host's own server need show nothing: the server is told who it is.
            Dialer = server?.Connect(settings.Password is null ? settings.User : null),
            Name = settings.Name ?? (name.Length == 0 ? null : name),
            User = settings.Password is null && server is not null ? null : settings.User,
            Password = settings.Password,
            Token = settings.Token,
            FirstConnect = settings.FirstConnect,
            ConnectTimeout = settings.ConnectTimeout ?? options.ConnectTimeout,
            PingInterval = settings.PingInterval ?? options.PingInterval,
            ReconnectBufferSize = settings.ReconnectBufferSize ?? options.ReconnectBufferSize,
            MaxReconnectAttempts = settings.MaxReconnectAttempts ?? options.MaxReconnectAttempts,
            Tracing = settings.Tracing,
            Tls = Tls(settings),
            Loops = services.GetRequiredService<EventLoopGroup>(),
        };
        options = settings.Configurations.Aggregate(options, (o, configure) => configure(services, o));
        // Last, so that callbacks of the application's stand beside the log and not in its place.
        var log = new ClientLog(
            new HostingLog(services.GetRequiredService<ILoggerFactory>()),
            settings.Name ?? (name.Length == 0 ? "(default)" : name),
            services.GetRequiredService<HostedState>());
        return log.Attach(options);
    }

    private static ClientTlsOptions? Tls(BrokerClientSettings settings)
        => settings is { TlsAuthorityFile: null, TlsCertificateFile: null, TlsKeyFile: null }
            ? null
            : new ClientTlsOptions
            {
                AuthorityFile = settings.TlsAuthorityFile,
                CertificateFile = settings.TlsCertificateFile,
                KeyFile = settings.TlsKeyFile,
            };
}
