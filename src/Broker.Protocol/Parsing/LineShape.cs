using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol;

/// <summary>
/// The positions of the separators in a PUB line, and the size. Many consecutive lines have the same subject length and
/// the same size, even if their subjects differ. In a line of the same shape, the parser searches nothing, and the CPU
/// can find the next operation before it has processed the current operation.
/// </summary>
/// <remarks>
/// Offsets count from the first argument. From there, a line has at most 62 bytes. A line with a separator other than a
/// space, and every other unusual line, is left to <see cref="LineScan"/>.
/// </remarks>
internal struct LineShape
{
    /// <summary>The offset of the arguments in a PUB.</summary>
    internal const int ArgumentsAt = 4;

    /// <summary>
    /// The number of bytes that must have arrived, counted from the start of the operation: the bytes of the longest
    /// line, and the bytes that are read after them.
    /// </summary>
    internal const int LeastRemaining = ArgumentsAt + Width + sizeof(ulong);

    /// <summary>The length of the longest line that this type handles.</summary>
    internal const int LongestLine = Width;

    private const int Width = 64;
    private const ushort CrLf = '\r' | ('\n' << 8);
    private const ulong Zeros = 0x3030303030303030;
    private const uint FewZeros = 0x30303030;

    // The separators up to the end of the line as bits, and a mask for these bits.
    private ulong _separators;
    private ulong _line;

    // The space before the size, the size and CR LF, and a mask for these bytes.
    private ulong _end;
    private ulong _endMask;
    private int _endAt;
    private int _subjectLength;

    /// <summary>
    /// Returns one bit for each of the 64 bytes at <paramref name="arguments"/>. The bit is set if the byte is a
    /// separator: a space or a smaller byte.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong SeparatorsOf(ref byte arguments)
    {
        var space = Vector256.Create((byte)' ');
        ulong low = Vector256.LessThanOrEqual(Vector256.LoadUnsafe(ref arguments), space).ExtractMostSignificantBits();
        ulong high = Vector256.LessThanOrEqual(Vector256.LoadUnsafe(ref arguments, 32), space).ExtractMostSignificantBits();
        return low | (high << 32);
    }

    /// <summary>Whether a line has the stored shape and the stored size.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Matches(ref byte arguments, ulong separators)
        => (separators & _line) == _separators
            && ((Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref arguments, _endAt)) ^ _end) & _endMask) == 0
            && Unsafe.Add(ref arguments, _subjectLength) == (byte)' ';

    /// <summary>Stores the shape of a line that <see cref="TryDivide"/> has divided.</summary>
    internal void Store(ref byte arguments, ulong separators, in PublishLine line)
    {
        int lineEnd = line.PayloadStart - ArgumentsAt;
        int endAt = (line.ReplyLength == 0 ? line.SubjectLength : line.SubjectLength + 1 + line.ReplyLength);
        int bits = (lineEnd - endAt) * 8;
        if (bits > 64)
        {
            // A size with more digits does not fit the mask. With such a large payload, the work for the line does not
            // matter.
            this = default;
            _separators = 1;
            return;
        }

        _line = ulong.MaxValue >> (64 - lineEnd);
        _separators = separators & _line;
        _endMask = ulong.MaxValue >> (64 - bits);
        _endAt = endAt;
        _end = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref arguments, endAt));
        _subjectLength = line.SubjectLength;
    }

    /// <summary>A shape that matches no line. It is the initial value.</summary>
    internal static LineShape None => new() { _separators = 1 };

    /// <summary>
    /// Divides a line that consists of a subject, an optional reply and a size, with single spaces between them.
    /// Returns false for every other line.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryDivide(ref byte arguments, ulong separators, int maxPayload, ref PublishLine line)
    {
        int subject = BitOperations.TrailingZeroCount(separators);
        separators &= separators - 1;
        int last = subject;
        int end = BitOperations.TrailingZeroCount(separators);
        if (subject == 0 || end >= Width - 1 || Unsafe.Add(ref arguments, subject) != (byte)' ')
        {
            return false;
        }

        if (Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref arguments, end)) != CrLf)
        {
            separators &= separators - 1;
            last = end;
            end = BitOperations.TrailingZeroCount(separators);
            if (last == subject + 1 || end >= Width - 1 || Unsafe.Add(ref arguments, last) != (byte)' '
                || Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref arguments, end)) != CrLf)
            {
                return false;
            }
        }

        // Reads the digits without a loop, because the CPU would mispredict the end of a loop over a varying number of
        // digits.
        ref byte digits = ref Unsafe.Add(ref arguments, last + 1);
        int count = end - last - 1;
        if ((uint)(count - 1) >= sizeof(ulong) || (count > 1 && digits == (byte)'0'))
        {
            return false;
        }

        int size = count <= sizeof(uint) ? ReadFew(ref digits, count) : ReadMany(ref digits, count);
        // ReadFew and ReadMany return -1 if a byte is not a digit.
        if ((uint)size > (uint)maxPayload)
        {
            return false;
        }

        bool hasReply = last != subject;
        line.SubjectStart = ArgumentsAt;
        line.SubjectLength = subject;
        line.ReplyStart = hasReply ? ArgumentsAt + subject + 1 : 0;
        line.ReplyLength = hasReply ? last - subject - 1 : 0;
        line.HeaderLength = -1;
        line.PayloadStart = ArgumentsAt + end + OperationParsing.EndLength;
        line.Size = size;
        line.Length = line.PayloadStart + size + OperationParsing.EndLength;
        line.IsCanonical = true;
        line.IsPlain = !hasReply;
        return true;
    }

    // Combines up to four digits to two pairs, and the pairs to one number. This must be fast, because the position of
    // the next operation depends on the number.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int ReadFew(ref byte digits, int count)
    {
        int missing = (sizeof(uint) - count) * 8;
        uint value = (Unsafe.ReadUnaligned<uint>(ref digits) << missing) ^ (FewZeros << missing);
        if ((((value + 0x76767676) | value) & 0x80808080) != 0)
        {
            return -1;
        }

        value = (value * 10) + (value >> 8);
        return (int)(((value & 0xFF) * 100) + ((value >> 16) & 0xFF));
    }

    // Reads up to eight digits. Processing a payload of such a size takes longer than this method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int ReadMany(ref byte digits, int count)
    {
        int missing = (sizeof(ulong) - count) * 8;
        ulong value = (Unsafe.ReadUnaligned<ulong>(ref digits) << missing) ^ (Zeros << missing);
        if ((((value + 0x7676767676767676) | value) & 0x8080808080808080) != 0)
        {
            return -1;
        }

        // Combines the digits to four pairs, the pairs to two numbers, and these to one number.
        value = (value * 10) + (value >> 8);
        value = (((value & 0x000000FF000000FF) * 0x000F424000000064) + (((value >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >> 32;
        return (int)(uint)value;
    }
}
