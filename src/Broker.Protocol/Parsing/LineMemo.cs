using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol.Parsing;

/// <summary>
/// The control line before this one. A publisher mostly stays on a subject and a size, so that one masked compare of
/// 32 bytes stands for the whole parse of a line.
/// </summary>
internal struct LineMemo
{
    private const int Width = 32;

    private Vector256<byte> _line;
    private Vector256<byte> _mask;

    /// <summary>The remembered line's length with its end; 0 when there is none, or it is longer than can be compared.</summary>
    internal int Length { get; private set; }

    /// <summary>Whether the bytes at <paramref name="at"/> begin with the remembered line. Reads 32 bytes: see that there are so many.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Matches(ref byte at, int remaining)
        => Length != 0 && remaining >= Width && ((Vector256.LoadUnsafe(ref at) ^ _line) & _mask) == Vector256<byte>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Remember(ref byte line, int length, int remaining)
    {
        if (remaining < Width || length > Width)
        {
            Forget();
            return;
        }

        Length = length;
        _mask = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));
        _line = Vector256.LoadUnsafe(ref line) & _mask;
    }

    internal void Forget() => Length = 0;
}
