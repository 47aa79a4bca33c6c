using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>A security mechanism's part of the handshake: commands in, commands out. Not used once the connection is active.</summary>
/// <remarks>An instance serves one handshake. ERROR never comes here: it means the same in every mechanism.</remarks>
public interface IZmtpMechanism
{
    /// <summary>Name in the greeting. Static data.</summary>
    ReadOnlySpan<byte> Name { get; }

    /// <summary>The as-server octet of our greeting.</summary>
    bool AsServer { get; }

    /// <summary>Upper bound of everything the mechanism writes in one handshake.</summary>
    /// <param name="metadataSize">Size of our encoded metadata.</param>
    int MaxOutputSize(int metadataSize);

    /// <summary>The greetings have been exchanged and name the same mechanism.</summary>
    /// <param name="metadata">Our encoded metadata.</param>
    /// <param name="output">Where to write commands; never shorter than what is left of <see cref="MaxOutputSize"/>.</param>
    ZmtpMechanismStep Start(ReadOnlySpan<byte> metadata, Span<byte> output);

    /// <summary>A command arrived.</summary>
    /// <param name="command">The command; borrowed.</param>
    /// <param name="peer">Give the peer's metadata to <see cref="ZmtpPeer.ReadMetadata"/> when they are known.</param>
    /// <param name="metadata">Our encoded metadata.</param>
    /// <param name="output">Where to write commands.</param>
    ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output);
}
