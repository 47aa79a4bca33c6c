using System.Text;

namespace Broker.ZeroMq;

/// <summary>
/// The security mechanism of a socket and the socket's role in it. Both sides must use the same mechanism. In PLAIN and
/// CURVE one side must be the server; that side need not be the one that binds. A peer with another mechanism is
/// refused after its greeting. Immutable; any number of sockets may share an instance.
/// </summary>
public abstract class ZeroMqSecurity
{
    private const int MostOctets = 255;

    private protected ZeroMqSecurity()
    {
    }

    /// <summary>NULL (RFC 37): no encryption, and no proof of what peers send about themselves.</summary>
    public static ZeroMqSecurity Null { get; } = new NullSecurity();

    /// <summary>
    /// The server of PLAIN (RFC 24): clients send a user name and a password, unencrypted. The socket must have an
    /// authentication callback.
    /// </summary>
    public static ZeroMqSecurity PlainServer { get; } = new PlainServerSecurity();

    /// <summary>The mechanism's name on the wire.</summary>
    public abstract string Mechanism { get; }

    /// <summary>Whether the socket is the server in this mechanism.</summary>
    public abstract bool IsServer { get; }

    /// <summary>
    /// Whether the socket must have an authentication callback, because only the application can admit peers.
    /// </summary>
    internal virtual bool NeedsAuthentication => false;

    /// <summary>
    /// Creates the client of PLAIN. The password is sent unencrypted, so use PLAIN only on connections that are
    /// protected in another way.
    /// </summary>
    /// <param name="username">The user name, at most 255 octets of UTF-8.</param>
    /// <param name="password">The password, at most 255 octets of UTF-8.</param>
    /// <exception cref="ArgumentException">The user name or the password is too long.</exception>
    public static ZeroMqSecurity PlainClient(string username, string password)
        => new PlainClientSecurity(Encode(username, nameof(username)), Encode(password, nameof(password)));

    /// <summary>
    /// Creates the server of CURVE (RFC 25, 26): all frames are encrypted. Clients must know the server's public key,
    /// and they send their own public key. Without an authentication callback, every client that knows the server's key
    /// is admitted.
    /// </summary>
    public static ZeroMqSecurity CurveServer(CurveKeyPair keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return new CurveServerSecurity(keys);
    }

    /// <summary>Creates the client of CURVE.</summary>
    /// <param name="keys">The client's keys.</param>
    /// <param name="serverKey">The public key of the server. The client connects to no server with another key.</param>
    public static ZeroMqSecurity CurveClient(CurveKeyPair keys, CurveKey serverKey)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(serverKey);
        return new CurveClientSecurity(keys, serverKey);
    }

    /// <summary>Returns the mechanism's name and the socket's role, but no secret.</summary>
    public override string ToString() => $"{Mechanism} {(IsServer ? "server" : "client")}";

    /// <summary>Creates the state of one handshake.</summary>
    /// <param name="asks">Whether the application is asked to admit the peer.</param>
    /// <param name="binds">Whether the peer connected to this side.</param>
    internal abstract IZmtpMechanism Create(bool asks, bool binds);

    private static byte[] Encode(string text, string name)
    {
        ArgumentNullException.ThrowIfNull(text, name);
        byte[] octets = Encoding.UTF8.GetBytes(text);
        return octets.Length <= MostOctets
            ? octets
            : throw new ArgumentException("A PLAIN user name or password has at most 255 octets.", name);
    }

    private sealed class NullSecurity : ZeroMqSecurity
    {
        public override string Mechanism => "NULL";

        public override bool IsServer => false;

        public override string ToString() => Mechanism;

        internal override IZmtpMechanism Create(bool asks, bool binds) => new NullMechanism(asks, binds);
    }

    private sealed class PlainServerSecurity : ZeroMqSecurity
    {
        public override string Mechanism => "PLAIN";

        public override bool IsServer => true;

        internal override bool NeedsAuthentication => true;

        internal override IZmtpMechanism Create(bool asks, bool binds) => new PlainServerMechanism();
    }

    private sealed class PlainClientSecurity(byte[] username, byte[] password) : ZeroMqSecurity
    {
        public override string Mechanism => "PLAIN";

        public override bool IsServer => false;

        internal override IZmtpMechanism Create(bool asks, bool binds) => new PlainClientMechanism(username, password);
    }

    private sealed class CurveServerSecurity(CurveKeyPair keys) : ZeroMqSecurity
    {
        public override string Mechanism => "CURVE";

        public override bool IsServer => true;

        internal override IZmtpMechanism Create(bool asks, bool binds) => new CurveServerMechanism(keys, asks);
    }

    private sealed class CurveClientSecurity(CurveKeyPair keys, CurveKey serverKey) : ZeroMqSecurity
    {
        public override string Mechanism => "CURVE";

        public override bool IsServer => false;

        internal override IZmtpMechanism Create(bool asks, bool binds) => new CurveClientMechanism(keys, serverKey);
    }
}
