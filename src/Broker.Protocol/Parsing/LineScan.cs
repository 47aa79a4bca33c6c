using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol;

/// <summary>
/// The start and end offsets of the arguments of one control line, counted from the start of the line.
/// </summary>
/// <remarks>
/// For a line of up to 64 bytes, one pass finds every separator and sets one bit of an integer for it. A slower scan
/// handles longer lines, tabs, repeated separators and a bare LF, which are legal but rare.
/// </remarks>
internal struct LineScan
{
    internal const int MaxArguments = 5;

    private const int Width = 64;
    private const byte Space = (byte)' ';

    private Bounds _starts;
    private Bounds _ends;

    [InlineArray(MaxArguments)]
    private struct Bounds
    {
        private int _first;
    }

    /// <summary>The number of arguments.</summary>
    internal int Count { get; private set; }

    /// <summary>The length of the line, its line end included.</summary>
    internal int LineLength { get; private set; }

    /// <summary>
    /// Whether single spaces separate the arguments and CR LF ends the line. The server can send such a line on
    /// unchanged.
    /// </summary>
    internal bool IsCanonical { get; private set; }

    internal readonly int Start(int argument) => _starts[argument];

    internal readonly int End(int argument) => _ends[argument];

    internal readonly int Length(int argument) => _ends[argument] - _starts[argument];

    /// <summary>
    /// Scans the line at <paramref name="line"/>. The arguments begin at the offset <paramref name="argumentsAt"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ScanStatus Scan(ref byte line, int argumentsAt, int remaining, int maxLine)
    {
        if (Vector256.IsHardwareAccelerated && remaining - argumentsAt >= Width
            && ScanWide(ref Unsafe.Add(ref line, argumentsAt), argumentsAt, maxLine))
        {
            return ScanStatus.Complete;
        }

        return ScanSlowly(MemoryMarshal.CreateReadOnlySpan(ref line, remaining), argumentsAt, maxLine);
    }

    private bool ScanWide(ref byte arguments, int offset, int maxLine)
    {
        var low = Vector256.LoadUnsafe(ref arguments);
        var high = Vector256.LoadUnsafe(ref arguments, 32);
        var lineFeed = Vector256.Create((byte)'\n');
        ulong feeds = Vector256.Equals(low, lineFeed).ExtractMostSignificantBits()
            | ((ulong)Vector256.Equals(high, lineFeed).ExtractMostSignificantBits() << 32);
        var space = Vector256.Create(Space);
        ulong separators = Vector256.LessThanOrEqual(low, space).ExtractMostSignificantBits()
            | ((ulong)Vector256.LessThanOrEqual(high, space).ExtractMostSignificantBits() << 32);
        int end = BitOperations.TrailingZeroCount(feeds);
        if (end is 0 or 64 || end - 1 > maxLine || Unsafe.Add(ref arguments, end - 1) != (byte)'\r')
        {
            return false;
        }

        separators &= (1UL << end) - 1;
        int count = 0;
        int at = 0;
        while (true)
        {
            int stop = BitOperations.TrailingZeroCount(separators);
            if (stop == at || count == MaxArguments)
            {
                return false;
            }

            _starts[count] = offset + at;
            _ends[count] = offset + stop;
            count++;
            if (stop == end - 1)
            {
                break;
            }

            if (Unsafe.Add(ref arguments, stop) != Space)
            {
                return false;
            }

            separators &= separators - 1;
            at = stop + 1;
        }

        Count = count;
        LineLength = offset + end + 1;
        IsCanonical = true;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ScanStatus ScanSlowly(ReadOnlySpan<byte> line, int argumentsAt, int maxLine)
    {
        ReadOnlySpan<byte> window = line[argumentsAt..];
        int length = ControlLine.Length(window, maxLine);
        if (length <= 0)
        {
            return length == ControlLine.TooLong ? ScanStatus.TooLong : ScanStatus.Incomplete;
        }

        LineLength = argumentsAt + length;
        bool carriageReturn = length > 1 && window[length - 2] == (byte)'\r';
        int stop = carriageReturn ? length - 2 : length - 1;
        Count = 0;
        bool single = carriageReturn;
        for (int at = 0; at < stop;)
        {
            if (window[at] is Space or (byte)'\t')
            {
                // The line is canonical only if each separator is exactly one space between two arguments.
                single &= window[at] == Space && at > 0 && at + 1 < stop && window[at + 1] is not (Space or (byte)'\t');
                at++;
                continue;
            }

            int argument = window[at..stop].IndexOfAny(Space, (byte)'\t');
            argument = argument < 0 ? stop - at : argument;
            if (Count == MaxArguments)
            {
                Count++;
                break;
            }

            _starts[Count] = argumentsAt + at;
            _ends[Count] = argumentsAt + at + argument;
            Count++;
            at += argument;
        }

        IsCanonical = single;
        return window[..stop].Contains((byte)'\r') ? ScanStatus.StrayReturn : ScanStatus.Complete;
    }
}
