namespace Broker.ZeroMq;

/// <summary>
/// A security mechanism's part of the handshake: it reads commands and writes commands. It is not used after the
/// handshake.
/// </summary>
/// <remarks>
/// An instance serves one handshake. It never receives ERROR commands: the handshake itself handles them, because ERROR
/// means the same in every mechanism.
/// </remarks>
internal interface IZmtpMechanism
{
    /// <summary>The name in the greeting, as static data.</summary>
    ReadOnlySpan<byte> Name { get; }

    /// <summary>The as-server octet of this side's greeting.</summary>
    bool AsServer { get; }

    /// <summary>
    /// Whether peers of ZMTP/2.0, which has no mechanisms, are allowed. They are allowed only if a peer needs no
    /// credentials.
    /// </summary>
    bool AllowsVersion2 => false;

    /// <summary>
    /// Whether a received command causes public-key cryptography, which takes a good part of a millisecond. On the
    /// client the received greeting causes it too.
    /// </summary>
    bool IsCostly => false;

    /// <summary>Returns an upper bound of the octets that the mechanism writes in one handshake.</summary>
    /// <param name="metadataSize">The size of this side's encoded metadata.</param>
    int MaxOutputSize(int metadataSize);

    /// <summary>Starts the mechanism. The greetings have been exchanged and name the same mechanism.</summary>
    /// <param name="peer">The peer, with the facts from its greeting.</param>
    /// <param name="metadata">This side's encoded metadata.</param>
    /// <param name="output">
    /// The memory for commands. It has room for at least the octets of <see cref="MaxOutputSize"/> that are not written
    /// yet.
    /// </param>
    ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>Receives a command.</summary>
    /// <param name="command">The command. It is valid until the method returns.</param>
    /// <param name="peer">
    /// The peer. The mechanism passes the peer's metadata to <see cref="ZmtpPeer.ReadMetadata"/>.
    /// </param>
    /// <param name="metadata">This side's encoded metadata.</param>
    /// <param name="output">The memory for commands.</param>
    ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>The credentials that the peer has sent, when a step asks the application to admit the peer.</summary>
    ZmtpCredentials Credentials { get; }

    /// <summary>Continues after the application has admitted the peer.</summary>
    /// <param name="metadata">This side's encoded metadata.</param>
    /// <param name="output">The memory for commands.</param>
    ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>Erases keys and passwords after the handshake.</summary>
    void Wipe();

    /// <summary>
    /// Returns the cipher for all frames after the handshake, or null if the frames are not encrypted. Called once,
    /// when the handshake is complete; the caller disposes the cipher.
    /// </summary>
    /// <param name="limits">The limits on what the peer may send.</param>
    ZmtpCipher? TakeCipher(ZmtpLimits limits);
}
