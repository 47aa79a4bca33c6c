using System.Buffers;

namespace Broker.Bridge;

public sealed partial class TopicCodec
{
    private static readonly SearchValues<byte> LowerHexDigits = SearchValues.Create("0123456789abcdef"u8);

    /// <summary>Decodes the topic of a subject. This method never throws.</summary>
    /// <remarks>
    /// The same rules apply to subjects that the codec has written and to others: <c>.</c> is the delimiter; an empty
    /// token and a token <c>=</c> are empty; <c>=</c> and two upper-case hexadecimal digits are one byte; every other
    /// byte is itself.
    /// </remarks>
    /// <param name="subject">A subject without wildcards. It is read only during the call.</param>
    /// <param name="destination">
    /// Receives the topic. A span with the length of the subject is always long enough.
    /// </param>
    /// <param name="written">The length of the topic; 0 unless the result is Exact or Foreign.</param>
    public TopicDecoding Decode(ReadOnlySpan<byte> subject, Span<byte> destination, out int written)
    {
        written = 0;
        if (!subject.StartsWith(_prefixDot))
        {
            return TopicDecoding.OutsidePrefix;
        }

        ReadOnlySpan<byte> text = subject[_prefixDot.Length..];
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
                // The token is empty, so there is nothing to write.
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

        ReadOnlySpan<byte> token = text[^HashTokenLength..];
        return token.StartsWith("=="u8)
            && (text.Length == HashTokenLength || text[^(HashTokenLength + 1)] == '.')
            && !token[2..].ContainsAnyExcept(LowerHexDigits);
    }
}
