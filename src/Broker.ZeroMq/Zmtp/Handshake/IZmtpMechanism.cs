using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>A security mechanism's part of the handshake: commands in, commands out. Not used once the connection is active.</summary>
/// <remarks>An instance serves one handshake. ERROR never comes here: it means the same in every mechanism.</remarks>
internal interface IZmtpMechanism
{
    /// <summary>Name in the greeting. Static data.</summary>
    ReadOnlySpan<byte> Name { get; }

    /// <summary>The as-server octet of our greeting.</summary>
    bool AsServer { get; }

    /// <summary>Whether a peer of ZMTP/2.0, which knows no mechanisms, may come in: only where nothing has to be shown.</summary>
    bool AllowsVersion2 => false;

    /// <summary>Upper bound of everything the mechanism writes in one handshake.</summary>
    /// <param name="metadataSize">Size of our encoded metadata.</param>
    int MaxOutputSize(int metadataSize);

    /// <summary>The greetings have been exchanged and name the same mechanism.</summary>
    /// <param name="peer">What its greeting has told.</param>
    /// <param name="metadata">Our encoded metadata.</param>
    /// <param name="output">Where to write commands; never shorter than what is left of <see cref="MaxOutputSize"/>.</param>
    ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>A command arrived.</summary>
    /// <param name="command">The command; borrowed.</param>
    /// <param name="peer">Give the peer's metadata to <see cref="ZmtpPeer.ReadMetadata"/> when they are known.</param>
    /// <param name="metadata">Our encoded metadata.</param>
    /// <param name="output">Where to write commands.</param>
    ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>What the peer has shown, when a step asks for the application's word.</summary>
    ZmtpCredentials Credentials { get; }

    /// <summary>The application admits the peer that a step asked about.</summary>
    /// <param name="metadata">Our encoded metadata.</param>
    /// <param name="output">Where to write commands.</param>
    ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>The handshake is over: what it kept of keys and passwords is forgotten.</summary>
    void Wipe();

    /// <summary>What goes over all that follows the handshake, for the caller to dispose; null where it goes in clear. Once, when done.</summary>
    /// <param name="limits">What the peer may send.</param>
    ZmtpCipher? TakeCipher(ZmtpLimits limits);
}
