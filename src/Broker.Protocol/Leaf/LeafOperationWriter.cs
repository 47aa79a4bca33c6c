using System.Buffers.Text;

namespace Broker.Protocol;

/// <summary>
/// Writes the operations of a leaf node connection. Each method returns the number of written bytes. The destination
/// must be large enough.
/// </summary>
public static class LeafOperationWriter
{
    /// <summary>The largest number of bytes that a line needs besides its subjects and names.</summary>
    public const int LineOverhead = 64;

    /// <summary>Writes LS+.</summary>
    /// <param name="destination">The destination.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="queueGroup">The queue group; empty for none.</param>
    /// <param name="weight">The number of members of the queue group.</param>
    public static int Subscribe(Span<byte> destination, ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight)
    {
        int at = 0;
        Append(destination, "LS+ "u8, ref at);
        Append(destination, filter, ref at);
        if (!queueGroup.IsEmpty)
        {
            Append(destination, " "u8, ref at);
            Append(destination, queueGroup, ref at);
            Append(destination, weight, ref at);
        }

        Append(destination, "\r\n"u8, ref at);
        return at;
    }

    /// <summary>Writes LS-.</summary>
    public static int Unsubscribe(Span<byte> destination, ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup)
    {
        int at = 0;
        Append(destination, "LS- "u8, ref at);
        Append(destination, filter, ref at);
        if (!queueGroup.IsEmpty)
        {
            Append(destination, " "u8, ref at);
            Append(destination, queueGroup, ref at);
        }

        Append(destination, "\r\n"u8, ref at);
        return at;
    }

    /// <summary>Writes a whole message: LMSG, or HMSG for a message with headers.</summary>
    /// <param name="destination">The destination.</param>
    /// <param name="subject">The subject.</param>
    /// <param name="replyTo">The reply subject; empty for none.</param>
    /// <param name="queueGroups">The names of the queue groups, with one space between them; empty for none.</param>
    /// <param name="headerLength">The number of header bytes at the start of the payload; 0 for none.</param>
    /// <param name="payload">The headers, followed by the body.</param>
    public static int Message(
        Span<byte> destination,
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> replyTo,
        ReadOnlySpan<byte> queueGroups,
        int headerLength,
        ReadOnlySpan<byte> payload)
    {
        int at = 0;
        Append(destination, headerLength > 0 ? "HMSG "u8 : "LMSG "u8, ref at);
        Append(destination, subject, ref at);
        if (!queueGroups.IsEmpty)
        {
            Append(destination, replyTo.IsEmpty ? " |"u8 : " +"u8, ref at);
        }

        if (!replyTo.IsEmpty)
        {
            Append(destination, " "u8, ref at);
            Append(destination, replyTo, ref at);
        }

        if (!queueGroups.IsEmpty)
        {
            Append(destination, " "u8, ref at);
            Append(destination, queueGroups, ref at);
        }

        if (headerLength > 0)
        {
            Append(destination, headerLength, ref at);
        }

        Append(destination, payload.Length, ref at);
        Append(destination, "\r\n"u8, ref at);
        Append(destination, payload, ref at);
        Append(destination, "\r\n"u8, ref at);
        return at;
    }

    private static void Append(Span<byte> destination, ReadOnlySpan<byte> text, ref int at)
    {
        text.CopyTo(destination[at..]);
        at += text.Length;
    }

    private static void Append(Span<byte> destination, int number, ref int at)
    {
        destination[at++] = (byte)' ';
        Utf8Formatter.TryFormat(number, destination[at..], out int digits);
        at += digits;
    }
}
