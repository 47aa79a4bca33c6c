using Broker.Server.Tls;

namespace Broker.Server;

// TLS. Nothing set: all in clear.
public sealed partial class BrokerServerOptions
{
    /// <summary>TLS with clients that come by sockets. Null, the default: none.</summary>
    public ServerTlsOptions? Tls { get; set; }

    /// <summary>
    /// Checks how certificates and users go together. At the start only: later each of them is replaced by itself, and for a while
    /// they need not.
    /// </summary>
    internal void ValidateMapping()
    {
        bool maps = Tls is { MapUsers: true };
        if (maps && (Authorize is not null || AuthorizeAsync is not null))
        {
            throw new ArgumentException($"Certificates are mapped to users, or {nameof(Authorize)} decides by them: not both.");
        }

        if (!maps && Users.FirstOrDefault(u => u.HasCertificateOnly) is { } user)
        {
            throw new ArgumentException(
                $"User '{user}' is known by a certificate, and {nameof(Tls)}.{nameof(ServerTlsOptions.MapUsers)} is not set.");
        }
    }
}
