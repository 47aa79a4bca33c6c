using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol.Parsing;

/// <summary>
/// The control line before this one. A publisher mostly stays on a subject and a size, so that one masked compare of
/// 32 bytes stands for the whole parse of a line, and two of one of up to 64.
/// </summary>
internal struct LineMemo
{
    private const int Width = 32;
    private const int LongestLine = 2 * Width;

    private Vector256<byte> _line;
    private Vector256<byte> _mask;

    // Of a long line, its last bytes.
    private Vector256<byte> _rest;

    /// <summary>The remembered line's length with its end; 0 when there is none, or it is longer than can be compared.</summary>
    internal int Length { get; private set; }

    /// <summary>Whether the bytes at <paramref name="at"/> begin with the remembered line. Never reads more than <paramref name="remaining"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Matches(ref byte at, int remaining)
        => Length != 0 && remaining >= Width && ((Vector256.LoadUnsafe(ref at) ^ _line) & _mask) == Vector256<byte>.Zero
            && (Length <= Width || RestMatches(ref at, remaining));

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

    // They overlap with the first, and none behind them has to have come.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool RestMatches(ref byte at, int remaining)
        => remaining >= Length && Vector256.LoadUnsafe(ref at, (nuint)(Length - Width)) == _rest;

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
        _rest = Vector256.LoadUnsafe(ref line, (nuint)(length - Width));
    }
}
