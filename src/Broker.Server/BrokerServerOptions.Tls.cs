using Broker.Server.Tls;

namespace Broker.Server;

// TLS. Nothing set: all in clear.
public sealed partial class BrokerServerOptions
{
    /// <summary>TLS with clients that come by sockets. Null, the default: none.</summary>
    public ServerTlsOptions? Tls { get; set; }

    private void ValidateMapping()
    {
        bool maps = Tls is { MapUsers: true };
        if (maps && (Authorize is not null || AuthorizeAsync is not null))
        {
            throw new ArgumentException($"Certificates are mapped to users, or {nameof(Authorize)} decides by them: not both.");
        }

        if (!maps && Users.Concat(Accounts.SelectMany(a => a.Users)).FirstOrDefault(u => u.HasCertificateOnly) is { } user)
        {
            throw new ArgumentException(
                $"User '{user}' is known by a certificate, and {nameof(Tls)}.{nameof(ServerTlsOptions.MapUsers)} is not set.");
        }
    }
}
