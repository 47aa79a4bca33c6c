using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Mechanisms;

/// <summary>
/// What a peer has shown by the time the application is asked about it, in the role of ZAP (RFC 27). Owns what it holds; immutable.
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

    /// <summary>The peer's address as an endpoint; the same as <see cref="Endpoint"/> for ipc.</summary>
    public string Address { get; }

    /// <summary>The endpoint of ours by which it came.</summary>
    public string Endpoint { get; }

    /// <summary>NULL, PLAIN or CURVE.</summary>
    public string Mechanism { get; }

    /// <summary>The user name of PLAIN; null with other mechanisms. Any text: octets that are no UTF-8 are replaced.</summary>
    public string? Username { get; }

    /// <summary>The password of PLAIN; null with other mechanisms.</summary>
    public string? Password { get; }

    /// <summary>The client's long-term key of CURVE, which it has proved to own; null with other mechanisms.</summary>
    public CurveKey? PublicKey { get; }

    /// <summary>
    /// The routing id it gave itself, and nothing has proved. Empty where it gave none, and with PLAIN, whose credentials are judged
    /// before the peer says more of itself.
    /// </summary>
    public ReadOnlyMemory<byte> RoutingId { get; }

    /// <summary>Mechanism and address; no secret.</summary>
    public override string ToString() => $"{Mechanism} from {Address}";
}
