using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Server.Routing;

namespace Broker.Server.Delivery;

/// <summary>How the line of a MSG begins: <c>MSG subject sid</c>; what follows the sid is the publisher's own.</summary>
internal static class MessageHead
{
    /// <summary>How much longer it is than its subject and its sid.</summary>
    internal const int Overhead = VerbLength + 1;

    // "MSG ", as bytes lie in memory.
    private const int VerbLength = 4;
    private static readonly uint Verb = MemoryMarshal.Read<uint>("MSG "u8);

    /// <summary>Writes it with the first <see cref="Subscription.ShortSid"/> bytes of the sid, padding included: there must be room for these.</summary>
    /// <returns>Where the sid begins.</returns>
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
