using Broker.Client;
using Broker.Transport;

namespace Broker.Cli.Settings;

/// <summary>The NATS servers of a bridge that are elsewhere, and who the bridge is there.</summary>
internal sealed record BridgeConnection
{
    /// <summary>Their addresses. They may hold passwords.</summary>
    public IReadOnlyList<string> Servers { get; init; } = [];

    /// <summary>A file with a JWT and its seed, or the seed of an nkey.</summary>
    public string? CredentialsFile { get; init; }

    /// <summary>How to speak TLS, where the addresses alone do not say it.</summary>
    public ClientTlsOptions? Tls { get; init; }

    /// <summary>The same for two that are alike; for comparison alone.</summary>
    public string Definition =>
        string.Join('\n', [.. Servers, CredentialsFile, Tls?.AuthorityFile, Tls?.CertificateFile, Tls?.KeyFile]);

    /// <summary>What a client is told.</summary>
    /// <exception cref="ServeStartException">The file of credentials cannot be used.</exception>
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

    /// <summary>What a log may show: the servers without passwords.</summary>
    public override string ToString() => string.Join(", ", Servers.Select(UserInfo.Hide));
}
