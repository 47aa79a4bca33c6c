using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// The first part of a MSG line: <c>MSG subject sid</c>. The rest of the line is copied from the publisher's line.
/// </summary>
internal static class MessageHead
{
    /// <summary>The length of the head without its subject and sid.</summary>
    internal const int Overhead = VerbLength + 1;

    // The length of the verb "MSG ".
    private const int VerbLength = 4;
    private static readonly uint Verb = MemoryMarshal.Read<uint>("MSG "u8);

    /// <summary>
    /// Writes the head with the first <see cref="Subscription.ShortSid"/> bytes of the sid, padding included. The
    /// destination must be large enough for the padding.
    /// </summary>
    /// <returns>A reference to the first byte of the sid.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte Write(ref byte at, ReadOnlySpan<byte> subject, ulong sid)
    {
        Unsafe.WriteUnaligned(ref at, Verb);
        at = ref Unsafe.Add(ref at, VerbLength);
        Unsafe.CopyBlockUnaligned(ref at, ref MemoryMarshal.GetReference(subject), (uint)subject.Length);
        at = ref Unsafe.Add(ref at, subject.Length);
        at = (byte)' ';
        at = ref Unsafe.Add(ref at, 1);
        Unsafe.WriteUnaligned(ref at, sid);
        return ref at;
    }
}
