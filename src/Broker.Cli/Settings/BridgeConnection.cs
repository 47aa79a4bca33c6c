using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Settings;

/// <summary>
/// The NATS servers of other processes that a bridge connects to, and the bridge's credentials for them.
/// </summary>
internal sealed record BridgeConnection
{
    /// <summary>The URLs of the servers. They may contain passwords.</summary>
    public IReadOnlyList<string> Servers { get; init; } = [];

    /// <summary>A file with a user's JWT and seed, or with the seed of an nkey.</summary>
    public string? CredentialsFile { get; init; }

    /// <summary>The TLS options, or null if the URLs alone decide about TLS.</summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>
    /// A text that is equal for equal connections. It is only for comparison, because it contains secrets.
    /// </summary>
    public string Definition
        => string.Join('\n', [.. Servers, CredentialsFile, Tls?.AuthorityFile, Tls?.CertificateFile, Tls?.KeyFile]);

    /// <summary>Returns the client options with these servers, TLS options and credentials.</summary>
    /// <exception cref="ServeStartException">The credentials file cannot be used.</exception>
    public ClientOptions Over(ClientOptions options)
    {
        options = options with { Servers = Servers, Tls = Tls ?? options.Tls };
        if (CredentialsFile is not { } file)
        {
            return options;
        }

        try
        {
            return ClientCredentials.Over(options, file);
        }
        catch (Exception e) when (ClientCredentials.IsUnusable(e))
        {
            throw new ServeStartException($"the credentials of the ZeroMQ bridge cannot be used: {e.Message}", e);
        }
    }

    /// <summary>Returns the servers without passwords, for logs.</summary>
    public override string ToString() => string.Join(", ", Servers.Select(UserInfo.Hide));
}
