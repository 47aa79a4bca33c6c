using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol.Parsing;

/// <summary>
/// How the lines of PUBs are divided that come one after the other: many have the subject's length and the size of the one before, whatever
/// the subject is. Then nothing of a line has to be found, and where the next operation begins is known before this one has been looked at.
/// </summary>
/// <remarks>
/// Counted from the first argument on; lines of up to 62 bytes from there. Where a separator stands that is no space, and in every other
/// line, nothing is found here: such a line is for <see cref="LineScan"/>.
/// </remarks>
internal struct LineShape
{
    /// <summary>Where the arguments of a PUB begin.</summary>
    internal const int ArgumentsAt = 4;

    /// <summary>How many bytes must have come from the operation's first on: a line, and what is read behind it.</summary>
    internal const int LeastRemaining = ArgumentsAt + Width + sizeof(ulong);

    /// <summary>No line is longer that is looked at here.</summary>
    internal const int LongestLine = Width;

    private const int Width = 64;
    private const ushort CrLf = '\r' | ('\n' << 8);
    private const ulong Zeros = 0x3030303030303030;
    private const uint FewZeros = 0x30303030;

    // The separators up to the line's end, and these bits.
    private ulong _separators;
    private ulong _line;

    // The space before the size, the size and CR LF, and these bytes.
    private ulong _end;
    private ulong _endMask;
    private int _endAt;
    private int _subjectLength;

    /// <summary>The separators of the 64 bytes at <paramref name="arguments"/>, as bits: spaces, and whatever is less than one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong SeparatorsOf(ref byte arguments)
    {
        Vector256<byte> space = Vector256.Create((byte)' ');
        ulong low = Vector256.LessThanOrEqual(Vector256.LoadUnsafe(ref arguments), space).ExtractMostSignificantBits();
        ulong high = Vector256.LessThanOrEqual(Vector256.LoadUnsafe(ref arguments, 32), space).ExtractMostSignificantBits();
        return low | (high << 32);
    }

    /// <summary>Whether a line is divided as the one that was taken in, and says the same size.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Is(ref byte arguments, ulong separators)
        => (separators & _line) == _separators
            && ((Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref arguments, _endAt)) ^ _end) & _endMask) == 0
            && Unsafe.Add(ref arguments, _subjectLength) == (byte)' ';

    /// <summary>Takes the form of a line in that <see cref="TryDivide"/> has divided.</summary>
    internal void Take(ref byte arguments, ulong separators, in PublishLine line)
    {
        int lineEnd = line.PayloadStart - ArgumentsAt;
        int endAt = (line.ReplyLength == 0 ? line.SubjectLength : line.SubjectLength + 1 + line.ReplyLength);
        int bits = (lineEnd - endAt) * 8;
        if (bits > 64)
        {
            // A size of more digits: so much payload makes the line cheap in any case.
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

    /// <summary>Before a line was taken in, no line is like it.</summary>
    internal static LineShape None => new() { _separators = 1 };

    /// <summary>Divides a line of subject, reply perhaps, and size, where single spaces stand between them. False for every other one.</summary>
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

        // Digits without a loop: how many there are is different each time.
        ref byte digits = ref Unsafe.Add(ref arguments, last + 1);
        int count = end - last - 1;
        if ((uint)(count - 1) >= sizeof(ulong) || (count > 1 && digits == (byte)'0'))
        {
            return false;
        }

        int size = count <= sizeof(uint) ? ReadFew(ref digits, count) : ReadMany(ref digits, count);
        // What are no digits is -1.
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
        line.PayloadStart = ArgumentsAt + end + OperationFrame.EndLength;
        line.Size = size;
        line.Length = line.PayloadStart + size + OperationFrame.EndLength;
        line.IsCanonical = true;
        line.IsPlain = !hasReply;
        return true;
    }

    // Up to four digits to two pairs to one number: where the next operation begins waits for this.
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

    // Up to eight: so much payload takes longer than this.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int ReadMany(ref byte digits, int count)
    {
        int missing = (sizeof(ulong) - count) * 8;
        ulong value = (Unsafe.ReadUnaligned<ulong>(ref digits) << missing) ^ (Zeros << missing);
        if ((((value + 0x7676767676767676) | value) & 0x8080808080808080) != 0)
        {
            return -1;
        }

        // To four pairs to two to one.
        value = (value * 10) + (value >> 8);
        value = (((value & 0x000000FF000000FF) * 0x000F424000000064) + (((value >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >> 32;
        return (int)(uint)value;
    }
}
