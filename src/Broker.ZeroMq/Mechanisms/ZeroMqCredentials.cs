namespace Broker.ZeroMq;

/// <summary>
/// The credentials and the address of a peer, which the application uses to decide whether to admit the peer. This
/// object has the role of a ZAP request (RFC 27). Immutable; it owns its data.
/// </summary>
public sealed class ZeroMqCredentials
{
    internal ZeroMqCredentials(string address, string endpoint, string mechanism, ZmtpCredentials shown, ZmtpPeer peer)
    {
        Address = address;
        Endpoint = endpoint;
        Mechanism = mechanism;
        Username = shown.Username;
        Password = shown.Password;
        PublicKey = shown.PublicKey is { } key ? new CurveKey(key) : null;
        RoutingId = peer.Identity;
    }

    /// <summary>The peer's address as an endpoint. For ipc, it equals <see cref="Endpoint"/>.</summary>
    public string Address { get; }

    /// <summary>The endpoint of the socket at which the peer connected.</summary>
    public string Endpoint { get; }

    /// <summary>The name of the mechanism: NULL, PLAIN or CURVE.</summary>
    public string Mechanism { get; }

    /// <summary>
    /// The user name of PLAIN; null with other mechanisms. It may be any text: octets that are not UTF-8 are replaced.
    /// </summary>
    public string? Username { get; }

    /// <summary>The password of PLAIN; null with other mechanisms.</summary>
    public string? Password { get; }

    /// <summary>
    /// The client's long-term key of CURVE; null with other mechanisms. The client has proved that it owns the key.
    /// </summary>
    public CurveKey? PublicKey { get; }

    /// <summary>
    /// The routing id that the peer chose, without any proof. The id is empty if the peer sent none. With PLAIN the id
    /// is always empty, because PLAIN checks the credentials before the peer sends its routing id.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; }

    /// <summary>Returns the mechanism and the address, but no secret.</summary>
    public override string ToString() => $"{Mechanism} from {Address}";
}
