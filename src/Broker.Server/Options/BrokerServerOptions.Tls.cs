namespace Broker.Server;

// Options of TLS. By default connections are not encrypted.
public sealed partial class BrokerServerOptions
{
    /// <summary>The TLS options for clients that connect through sockets. Null, the default: no TLS.</summary>
    public ServerTlsOptions? Tls { get; set; }

    /// <summary>
    /// Whether the certificate of a WebSocket client determines its user, as <see cref="ServerTlsOptions.MapUsers"/>
    /// does for socket clients (<c>verify_and_map</c> in the block <c>websocket</c> of nats-server). The WebSocket
    /// listener must require client certificates; a client without a certificate is refused. Default false: WebSocket
    /// clients authenticate by other credentials.
    /// </summary>
    public bool MapWebSocketUsers { get; set; }

    private void ValidateMapping()
    {
        bool maps = MapWebSocketUsers || Tls is { MapUsers: true };
        if (maps && (Authorize is not null || AuthorizeAsync is not null))
        {
            throw new ArgumentException(
                $"{nameof(Authorize)} and {nameof(AuthorizeAsync)} cannot be set if certificates are mapped to users: set only one.");
        }

        IEnumerable<User> users = Users.Concat(Accounts.SelectMany(a => a.Users));
        if (!maps && users.FirstOrDefault(u => u.HasCertificateOnly) is { } user)
        {
            throw new ArgumentException(
                $"User '{user}' is identified by a certificate: set "
                + $"{nameof(Tls)}.{nameof(ServerTlsOptions.MapUsers)} or {nameof(MapWebSocketUsers)}.");
        }
    }
}
