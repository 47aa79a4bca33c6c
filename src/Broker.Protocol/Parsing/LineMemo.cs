using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol;

/// <summary>
/// Remembers the control line of the previous message. Most publishers use one subject and one size, so one masked
/// comparison of 32 bytes replaces the parse of a line. A line of 33 to 64 bytes takes two comparisons.
/// </summary>
internal struct LineMemo
{
    private const int Width = 32;
    private const int LongestLine = 2 * Width;

    private Vector256<byte> _line;
    private Vector256<byte> _mask;

    // The last 32 bytes of the line, if the line is longer than 32 bytes.
    private Vector256<byte> _end;

    /// <summary>The length of the remembered line, its line end included. 0 if no line is remembered.</summary>
    internal int Length { get; private set; }

    /// <summary>
    /// Whether the bytes at <paramref name="at"/> begin with the remembered line. The method never reads more than
    /// <paramref name="remaining"/> bytes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Matches(ref byte at, int remaining)
        => Length != 0 && remaining >= Width && ((Vector256.LoadUnsafe(ref at) ^ _line) & _mask) == Vector256<byte>.Zero
            && (Length <= Width || EndMatches(ref at, remaining));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Remember(ref byte line, int length, int remaining)
    {
        if (length > Width)
        {
            RememberLong(ref line, length, remaining);
            return;
        }

        if (remaining < Width)
        {
            Forget();
            return;
        }

        Length = length;
        _mask = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));
        _line = Vector256.LoadUnsafe(ref line) & _mask;
    }

    internal void Forget() => Length = 0;

    // Compares the last 32 bytes of the line, which overlap with the first 32. So the bytes after the line need not
    // have arrived.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool EndMatches(ref byte at, int remaining)
        => remaining >= Length && Vector256.LoadUnsafe(ref at, (nuint)(Length - Width)) == _end;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RememberLong(ref byte line, int length, int remaining)
    {
        if (length > LongestLine || remaining < length)
        {
            Forget();
            return;
        }

        Length = length;
        _mask = Vector256<byte>.AllBitsSet;
        _line = Vector256.LoadUnsafe(ref line);
        _end = Vector256.LoadUnsafe(ref line, (nuint)(length - Width));
    }
}
