using System.Buffers;

namespace Broker.Bridge.Mapping;

public sealed partial class TopicCodec
{
    private static readonly SearchValues<byte> LowerHexDigits = SearchValues.Create("0123456789abcdef"u8);

    /// <summary>Reads the topic from a subject; never throws.</summary>
    /// <remarks>
    /// One rule for encoded and for foreign subjects: <c>.</c> is the delimiter, a token that is empty or a lone <c>=</c>
    /// is empty, <c>=</c> with two upper-case hexadecimal digits is that byte, and every other byte stands for itself.
    /// </remarks>
    /// <param name="subject">A literal subject, read only during the call.</param>
    /// <param name="destination">Receives the topic; as long as the subject is always enough.</param>
    /// <param name="written">The length of the topic; 0 unless the result is Exact or Foreign.</param>
    public TopicDecoding Decode(ReadOnlySpan<byte> subject, Span<byte> destination, out int written)
    {
        written = 0;
        if (!subject.StartsWith(_prefixDot))
        {
            return TopicDecoding.OutsidePrefix;
        }

        var text = subject[_prefixDot.Length..];
        if (EndsInHash(text))
        {
            return TopicDecoding.Hashed;
        }

        if (destination.Length < text.Length)
        {
            return TopicDecoding.DestinationTooSmall;
        }

        bool exact = subject.Length <= MaxSubjectLength;
        int to = 0;
        bool tokenStarts = true;
        for (int i = 0; i < text.Length; i++)
        {
            byte b = text[i];
            if (b == '.')
            {
                exact &= !tokenStarts;
                destination[to++] = _delimiter;
                tokenStarts = true;
                continue;
            }

            if (b == '=' && tokenStarts && (i + 1 == text.Length || text[i + 1] == '.'))
            {
                // The empty token: nothing to write.
            }
            else if (b == '=' && TryReadEscape(text[i..], out byte escaped))
            {
                exact &= _kinds[escaped] == ByteKind.Escaped;
                destination[to++] = escaped;
                i += 2;
            }
            else
            {
                exact &= _kinds[b] == ByteKind.Literal;
                destination[to++] = b;
            }

            tokenStarts = false;
        }

        written = to;
        return exact && !tokenStarts ? TopicDecoding.Exact : TopicDecoding.Foreign;
    }

    private static bool TryReadEscape(ReadOnlySpan<byte> text, out byte value)
    {
        value = 0;
        if (text.Length < 3)
        {
            return false;
        }

        int high = UpperHexValue(text[1]);
        int low = UpperHexValue(text[2]);
        if ((high | low) < 0)
        {
            return false;
        }

        value = (byte)((high << 4) | low);
        return true;
    }

    private static int UpperHexValue(byte digit) => digit switch
    {
        >= (byte)'0' and <= (byte)'9' => digit - '0',
        >= (byte)'A' and <= (byte)'F' => digit - 'A' + 10,
        _ => -1,
    };

    private static bool EndsInHash(ReadOnlySpan<byte> text)
    {
        if (text.Length < HashTokenLength)
        {
            return false;
        }

        var token = text[^HashTokenLength..];
        return token.StartsWith("=="u8)
            && (text.Length == HashTokenLength || text[^(HashTokenLength + 1)] == '.')
            && !token[2..].ContainsAnyExcept(LowerHexDigits);
    }
}
