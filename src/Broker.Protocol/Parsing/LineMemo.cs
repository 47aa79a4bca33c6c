using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol.Parsing;

/// <summary>
/// The control line before this one. A publisher mostly stays on a subject and a size, so that one masked compare of
/// 32 bytes stands for the whole parse of a line. Of a longer line the beginning is remembered, to tell whether the
/// subject is the same.
/// </summary>
internal struct LineMemo
{
    private const int Width = 32;

    private Vector256<byte> _line;
    private Vector256<byte> _mask;
    private int _known;

    /// <summary>The remembered line's length with its end; 0 when there is none, or it is longer than can be compared.</summary>
    internal int Length { get; private set; }

    /// <summary>Whether the bytes at <paramref name="at"/> begin with the remembered line. Reads 32 bytes: see that there are so many.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Matches(ref byte at, int remaining)
        => Length != 0 && remaining >= Width && ((Vector256.LoadUnsafe(ref at) ^ _line) & _mask) == Vector256<byte>.Zero;

    /// <summary>
    /// Whether the bytes from <paramref name="start"/> on, within the line at <paramref name="at"/>, are the remembered line's.
    /// </summary>
    internal readonly bool Repeats(ref byte at, int start, int length, int remaining)
    {
        if (remaining < Width || start + length > _known)
        {
            return false;
        }

        Vector256<byte> within = Vector256.GreaterThanOrEqual(Vector256<byte>.Indices, Vector256.Create((byte)start))
            & Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)(start + length)));
        return ((Vector256.LoadUnsafe(ref at) ^ _line) & within) == Vector256<byte>.Zero;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Remember(ref byte line, int length, int remaining)
    {
        if (remaining < Width)
        {
            Forget();
            return;
        }

        Length = length <= Width ? length : 0;
        _known = Math.Min(length, Width);
        _mask = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)_known));
        _line = Vector256.LoadUnsafe(ref line) & _mask;
    }

    internal void Forget()
    {
        Length = 0;
        _known = 0;
    }
}
