using Broker.Client;

namespace Broker.Hosting;

/// <summary>
/// How a client in a host is set up, as configuration can say it: the section <c>BrokerClient</c>, or <c>BrokerClients:NAME</c> for
/// one with a name. What is not set is as in <see cref="ClientOptions"/>.
/// </summary>
public sealed class BrokerClientSettings
{
    /// <summary>The section of the client without a name.</summary>
    public const string Section = "BrokerClient";

    /// <summary>The section with those that have names.</summary>
    public const string NamedSection = "BrokerClients";

    /// <summary>
    /// Where the servers are. Empty, the default: the server of this host, without a socket, or where there is none
    /// <c>nats://127.0.0.1:4222</c>.
    /// </summary>
    public IList<string> Servers { get; } = [];

    /// <summary>What the server shows for the connection. Default: the name of the client, if it has one.</summary>
    public string? Name { get; set; }

    /// <summary>The user; with the server of this host no password is needed.</summary>
    public string? User { get; set; }

    /// <summary>That user's password.</summary>
    public string? Password { get; set; }

    /// <summary>The token.</summary>
    public string? Token { get; set; }

    /// <summary>
    /// What becomes of a start that finds no server: it fails (<see cref="FirstConnect.Fail"/>, the default), or goes on while the
    /// client looks for one (<see cref="FirstConnect.Background"/>).
    /// </summary>
    public FirstConnect FirstConnect { get; set; }

    /// <summary>As <see cref="ClientOptions.ConnectTimeout"/>.</summary>
    public TimeSpan? ConnectTimeout { get; set; }

    /// <summary>As <see cref="ClientOptions.PingInterval"/>.</summary>
    public TimeSpan? PingInterval { get; set; }

    /// <summary>As <see cref="ClientOptions.ReconnectBufferSize"/>.</summary>
    public int? ReconnectBufferSize { get; set; }

    /// <summary>As <see cref="ClientOptions.MaxReconnectAttempts"/>.</summary>
    public int? MaxReconnectAttempts { get; set; }

    /// <summary>As <see cref="ClientOptions.Tracing"/>.</summary>
    public bool Tracing { get; set; }

    /// <summary>As <see cref="Broker.Transport.ClientTlsOptions.AuthorityFile"/>.</summary>
    public string? TlsAuthorityFile { get; set; }

    /// <summary>As <see cref="Broker.Transport.ClientTlsOptions.CertificateFile"/>.</summary>
    public string? TlsCertificateFile { get; set; }

    /// <summary>As <see cref="Broker.Transport.ClientTlsOptions.KeyFile"/>.</summary>
    public string? TlsKeyFile { get; set; }

    internal List<Func<IServiceProvider, ClientOptions, ClientOptions>> Configurations { get; } = [];

    /// <summary>Says in code what configuration cannot: <c>settings.Configure(options => options with { Sign = key.Sign })</c>.</summary>
    /// <param name="configure">Called after the other settings were applied.</param>
    /// <returns>These settings, for more.</returns>
    public BrokerClientSettings Configure(Func<ClientOptions, ClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Configure((_, options) => configure(options));
    }

    /// <inheritdoc cref="Configure(Func{ClientOptions, ClientOptions})"/>
    /// <param name="configure">The same with the host's services.</param>
    public BrokerClientSettings Configure(Func<IServiceProvider, ClientOptions, ClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Configurations.Add(configure);
        return this;
    }
}
