using Broker.Client;

namespace Broker.Hosting;

/// <summary>
/// The configurable settings of a client in a host: the section <c>BrokerClient</c>, or <c>BrokerClients:NAME</c> for a
/// client with a name. Settings without a value use the defaults of <see cref="ClientOptions"/>.
/// </summary>
public sealed class BrokerClientSettings
{
    /// <summary>The name of the section for the client without a name.</summary>
    public const string Section = "BrokerClient";

    /// <summary>The name of the section that contains the named clients.</summary>
    public const string NamedSection = "BrokerClients";

    /// <summary>
    /// The name of the connection string for the client without a name. A client with a name uses the connection string
    /// of the same name.
    /// </summary>
    public const string ConnectionString = "nats";

    /// <summary>
    /// The servers' addresses. If the section contains none, the addresses of the connection string, separated by commas.
    /// If empty (the default), the client connects to this host's server without a socket, or to
    /// <c>nats://127.0.0.1:4222</c> if the host has no server.
    /// </summary>
    public IList<string> Servers { get; } = [];

    /// <summary>The connection's name on the server. Default: the name of the client, if it has one.</summary>
    public string? Name { get; set; }

    /// <summary>The user's name. A user of this host's own server needs no password.</summary>
    public string? User { get; set; }

    /// <summary>The password of <see cref="User"/>.</summary>
    public string? Password { get; set; }

    /// <summary>The token for servers that authenticate clients by a token.</summary>
    public string? Token { get; set; }

    /// <summary>
    /// What happens if no server is reachable at the start: the start fails (<see cref="FirstConnect.Fail"/>, the
    /// default), or it completes and the client keeps trying (<see cref="FirstConnect.Background"/>).
    /// </summary>
    public FirstConnect FirstConnect { get; set; }

    /// <summary>See <see cref="ClientOptions.ConnectTimeout"/>.</summary>
    public TimeSpan? ConnectTimeout { get; set; }

    /// <summary>See <see cref="ClientOptions.RequestTimeout"/>.</summary>
    public TimeSpan? RequestTimeout { get; set; }

    /// <summary>See <see cref="ClientOptions.PingInterval"/>.</summary>
    public TimeSpan? PingInterval { get; set; }

    /// <summary>See <see cref="ClientOptions.ReconnectBufferSize"/>.</summary>
    public int? ReconnectBufferSize { get; set; }

    /// <summary>See <see cref="ClientOptions.MaxReconnectAttempts"/>.</summary>
    public int? MaxReconnectAttempts { get; set; }

    /// <summary>See <see cref="ClientOptions.Tracing"/>.</summary>
    public bool Tracing { get; set; }

    /// <summary>See <see cref="Broker.Transport.ClientTlsOptions.AuthorityFile"/>.</summary>
    public string? TlsAuthorityFile { get; set; }

    /// <summary>See <see cref="Broker.Transport.ClientTlsOptions.CertificateFile"/>.</summary>
    public string? TlsCertificateFile { get; set; }

    /// <summary>See <see cref="Broker.Transport.ClientTlsOptions.KeyFile"/>.</summary>
    public string? TlsKeyFile { get; set; }

    /// <summary>See <see cref="Broker.Transport.ClientTlsOptions.KeyPassword"/>.</summary>
    public string? TlsKeyPassword { get; set; }

    /// <summary>Whether <see cref="Servers"/> were read from a connection string.</summary>
    internal bool AreServersFromConnectionString { get; set; }

    internal List<Func<IServiceProvider, ClientOptions, ClientOptions>> Configurations { get; } = [];

    /// <summary>
    /// Adds a callback that sets options which the configuration cannot set: <c>settings.Configure(options => options
    /// with { Sign = key.Sign })</c>.
    /// </summary>
    /// <param name="configure">
    /// Receives the options after the other settings were applied, and returns the options to use.
    /// </param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerClientSettings Configure(Func<ClientOptions, ClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Configure((_, options) => configure(options));
    }

    /// <inheritdoc cref="Configure(Func{ClientOptions, ClientOptions})"/>
    /// <param name="configure">The same callback, which also receives the host's services.</param>
    public BrokerClientSettings Configure(Func<IServiceProvider, ClientOptions, ClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Configurations.Add(configure);
        return this;
    }
}
