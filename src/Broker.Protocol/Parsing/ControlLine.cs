using System.Text;

namespace Broker.Protocol;

/// <summary>Checks that apply to every control line.</summary>
internal static class ControlLine
{
    internal const int TooLong = -1;

    /// <summary>
    /// Returns the length of a line after its verb, LF included. Returns 0 if the LF has not arrived, and
    /// <see cref="TooLong"/> if more than <paramref name="maxLength"/> bytes are before the line end.
    /// </summary>
    internal static int Length(ReadOnlySpan<byte> rest, int maxLength)
    {
        int end = rest[..Math.Min(rest.Length, maxLength + 2)].IndexOf((byte)'\n');
        if (end < 0)
        {
            return rest.Length >= maxLength + 2 ? TooLong : 0;
        }

        bool carriageReturn = end > 0 && rest[end - 1] == (byte)'\r';
        return (carriageReturn ? end - 1 : end) > maxLength ? TooLong : end + 1;
    }

    /// <summary>
    /// Whether one of <paramref name="verbs"/> begins with <paramref name="few"/>. Each verb is given by its first four
    /// letters. So a peer that does not use the NATS protocol gets an error after its first bytes, even if it never
    /// sends a line end.
    /// </summary>
    internal static bool MayBegin(ReadOnlySpan<byte> few, ReadOnlySpan<byte> verbs)
    {
        for (; !verbs.IsEmpty; verbs = verbs[4..])
        {
            if (Ascii.EqualsIgnoreCase(few, verbs[..few.Length]))
            {
                return true;
            }
        }

        return false;
    }
}
