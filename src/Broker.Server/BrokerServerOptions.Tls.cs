using Broker.Server.Tls;

namespace Broker.Server;

// TLS. Nothing set: all in clear.
public sealed partial class BrokerServerOptions
{
    /// <summary>TLS with clients that come by sockets. Null, the default: none.</summary>
    public ServerTlsOptions? Tls { get; set; }

    /// <summary>
    /// Whether a client that comes by WebSocket is the user that its certificate names, as <see cref="ServerTlsOptions.MapUsers"/> says it
    /// of those that come by sockets (<c>verify_and_map</c> of the block <c>websocket</c> in nats-server). Who listens for them must demand
    /// certificates; a client without one is nobody. Default false: they show passwords.
    /// </summary>
    public bool MapWebSocketUsers { get; set; }

    private void ValidateMapping()
    {
        bool maps = MapWebSocketUsers || Tls is { MapUsers: true };
        if (maps && (Authorize is not null || AuthorizeAsync is not null))
        {
            throw new ArgumentException($"Certificates are mapped to users, or {nameof(Authorize)} decides by them: not both.");
        }

        if (!maps && Users.Concat(Accounts.SelectMany(a => a.Users)).FirstOrDefault(u => u.HasCertificateOnly) is { } user)
        {
            throw new ArgumentException(
                $"User '{user}' is known by a certificate, and neither {nameof(Tls)}.{nameof(ServerTlsOptions.MapUsers)} nor {nameof(MapWebSocketUsers)} is set.");
        }
    }
}
