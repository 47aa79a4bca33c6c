using System.Text;
using Broker.ZeroMq.Zmtp.Handshake;

namespace Broker.ZeroMq.Mechanisms;

/// <summary>
/// A socket's security mechanism and its part in it. Both sides must have the same mechanism, and one of them be the server, whoever binds;
/// a peer with any other is turned away after its greeting. Immutable; any number of sockets may share it.
/// </summary>
public abstract class ZeroMqSecurity
{
    private const int MostOctets = 255;

    private protected ZeroMqSecurity()
    {
    }

    /// <summary>NULL (RFC 37): no encryption, and peers show nothing but what they say of themselves.</summary>
    public static ZeroMqSecurity Null { get; } = new NullSecurity();

    /// <summary>
    /// The server of PLAIN (RFC 24): clients show a user name and a password, in clear. The socket must have an authentication callback.
    /// </summary>
    public static ZeroMqSecurity PlainServer { get; } = new PlainServerSecurity();

    /// <summary>The mechanism's name on the wire.</summary>
    public abstract string Mechanism { get; }

    /// <summary>Whether the socket is the server in this mechanism.</summary>
    public abstract bool IsServer { get; }

    /// <summary>Whether peers are admitted by nothing but the application's word.</summary>
    internal virtual bool NeedsAuthentication => false;

    /// <summary>The client of PLAIN. Whoever reads the line reads the password too: for connections that are protected otherwise.</summary>
    /// <param name="username">At most 255 octets of UTF-8.</param>
    /// <param name="password">At most 255 octets of UTF-8.</param>
    /// <exception cref="ArgumentException">One of them is too long.</exception>
    public static ZeroMqSecurity PlainClient(string username, string password) =>
        new PlainClientSecurity(Encode(username, nameof(username)), Encode(password, nameof(password)));

    /// <summary>
    /// The server of CURVE (RFC 25, 26): all is encrypted, clients know the server's public key and show their own. Without an
    /// authentication callback every client that knows it is admitted.
    /// </summary>
    public static ZeroMqSecurity CurveServer(CurveKeyPair keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return new CurveServerSecurity(keys);
    }

    /// <summary>The client of CURVE.</summary>
    /// <param name="keys">Its own keys.</param>
    /// <param name="serverKey">The public key of the server that it wants to talk to, and to no other.</param>
    public static ZeroMqSecurity CurveClient(CurveKeyPair keys, CurveKey serverKey)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(serverKey);
        return new CurveClientSecurity(keys, serverKey);
    }

    /// <summary>The mechanism's name and part; never a secret.</summary>
    public override string ToString() => $"{Mechanism} {(IsServer ? "server" : "client")}";

    /// <summary>Makes the state of one handshake.</summary>
    /// <param name="asks">Whether the application is asked to admit the peer.</param>
    /// <param name="binds">Whether the peer has connected to us.</param>
    internal abstract IZmtpMechanism Create(bool asks, bool binds);

    private static byte[] Encode(string text, string name)
    {
        ArgumentNullException.ThrowIfNull(text, name);
        byte[] octets = Encoding.UTF8.GetBytes(text);
        return octets.Length <= MostOctets ? octets : throw new ArgumentException("PLAIN takes at most 255 octets.", name);
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
