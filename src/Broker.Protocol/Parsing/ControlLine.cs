using System.Text;

namespace Broker.Protocol.Parsing;

/// <summary>What holds for every control line, whatever its verb.</summary>
internal static class ControlLine
{
    internal const int TooLong = -1;

    /// <summary>
    /// The length of what follows a verb, up to and with its LF; 0 when the LF has not come, and <see cref="TooLong"/>
    /// when more than <paramref name="most"/> bytes stand before the line's end.
    /// </summary>
    internal static int Length(ReadOnlySpan<byte> rest, int most)
    {
        int end = rest[..Math.Min(rest.Length, most + 2)].IndexOf((byte)'\n');
        if (end < 0)
        {
            return rest.Length >= most + 2 ? TooLong : 0;
        }

        bool carriageReturn = end > 0 && rest[end - 1] == (byte)'\r';
        return (carriageReturn ? end - 1 : end) > most ? TooLong : end + 1;
    }

    /// <summary>
    /// Whether one of <paramref name="verbs"/>, given by their first four letters each, begins with <paramref name="few"/>:
    /// a peer that speaks no NATS hears so at its first bytes, rather than never.
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
