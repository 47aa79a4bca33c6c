using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// Subjects that nats-server reserves: reply subjects for imports between accounts (<c>_R_.</c>), reply subjects for
/// gateways (<c>_GR_.</c>) and acknowledgements of JetStream (<c>$JS.ACK.</c>). No client may publish to a reply
/// subject for gateways, and no client may use any of these subjects as its reply subject.
/// </summary>
internal static class ReservedSubjects
{
    // The first four bytes of the subjects as a little-endian number.
    private const uint ImportReply = '_' | ('R' << 8) | ('_' << 16) | ((uint)'.' << 24);
    private const uint GatewayReply = '_' | ('G' << 8) | ('R' << 16) | ((uint)'_' << 24);
    private const uint Acknowledgement = '$' | ('J' << 8) | ('S' << 16) | ((uint)'.' << 24);

    /// <summary>Whether a subject is reserved so that no client may publish to it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Contains(ReadOnlySpan<byte> subject)
        => subject.Length > sizeof(uint)
            && BinaryPrimitives.ReadUInt32LittleEndian(subject) == GatewayReply
            && subject[sizeof(uint)] == (byte)'.';

    /// <summary>
    /// A fast check whether a reply subject can be reserved. Returns false for an empty reply subject and for nearly
    /// all other reply subjects.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool MayContain(ReadOnlySpan<byte> reply)
        => reply.Length > sizeof(uint)
            && BinaryPrimitives.ReadUInt32LittleEndian(reply) is ImportReply or GatewayReply or Acknowledgement;

    /// <summary>Whether a subject is reserved so that no client may use it as a reply subject.</summary>
    internal static bool ContainsReply(ReadOnlySpan<byte> reply)
        => reply.StartsWith("_R_."u8) || reply.StartsWith("_GR_."u8) || reply.StartsWith("$JS.ACK."u8);
}
