using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.Server.Security;

/// <summary>
/// What nats-server keeps for itself: replies that it makes for imports between accounts and for gateways. No client may
/// publish to the latter, nor ask for answers by either.
/// </summary>
internal static class ReservedSubjects
{
    // The first four bytes, little-endian.
    private const uint ImportReply = '_' | ('R' << 8) | ('_' << 16) | ((uint)'.' << 24);
    private const uint GatewayReply = '_' | ('G' << 8) | ('R' << 16) | ((uint)'_' << 24);
    private const uint Acknowledgement = '$' | ('J' << 8) | ('S' << 16) | ((uint)'.' << 24);

    /// <summary>Whether no client may publish to it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Contains(ReadOnlySpan<byte> subject)
        => subject.Length > sizeof(uint) && BinaryPrimitives.ReadUInt32LittleEndian(subject) == GatewayReply && subject[sizeof(uint)] == (byte)'.';

    /// <summary>Whether a reply is worth a closer look: nearly all replies and no reply are not.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool MayContain(ReadOnlySpan<byte> reply)
        => reply.Length > sizeof(uint) && BinaryPrimitives.ReadUInt32LittleEndian(reply) is ImportReply or GatewayReply or Acknowledgement;

    /// <summary>Whether no client may ask for answers by it.</summary>
    internal static bool ContainsReply(ReadOnlySpan<byte> reply)
        => reply.StartsWith("_R_."u8) || reply.StartsWith("_GR_."u8) || reply.StartsWith("$JS.ACK."u8);
}
