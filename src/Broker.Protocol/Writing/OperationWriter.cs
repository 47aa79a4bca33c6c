using System.Buffers.Text;

namespace Broker.Protocol;

/// <summary>
/// Writes NATS operations into memory of the caller. Each method returns the number of bytes that it wrote.
/// </summary>
/// <remarks>
/// <para>The destination must be large enough: <see cref="PublishSize"/> and the constants give upper bounds. If the
/// destination is too small, the method throws an <see cref="ArgumentException"/> or another exception for the bounds
/// of a span. The bytes that were already written are then not usable.</para>
/// <para>The methods check nothing. If a subject contains white space, the bytes after the white space become another
/// argument or another line.</para>
/// </remarks>
public static class OperationWriter
{
    /// <summary>
    /// An upper bound for the verb, separators, numbers and line ends of any line: everything except its subjects,
    /// queue and payload.
    /// </summary>
    public const int LineOverhead = 64;

    /// <summary>An upper bound for the number of bytes that <see cref="Publish"/> writes.</summary>
    public static int PublishSize(int subject, int replyTo, int headers, int body) => subject + replyTo + headers + body + LineOverhead;

    /// <summary>
    /// Writes a whole PUB, or a whole HPUB if there are headers. <paramref name="headers"/> is a complete header block.
    /// </summary>
    public static int Publish(
        Span<byte> destination, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers,
        ReadOnlySpan<byte> body)
    {
        int at = PublishLine(destination, subject, replyTo, headers.IsEmpty ? -1 : headers.Length, headers.Length + body.Length);
        headers.CopyTo(destination[at..]);
        at += headers.Length;
        body.CopyTo(destination[at..]);
        at += body.Length;
        destination[at] = (byte)'\r';
        destination[at + 1] = (byte)'\n';
        return at + 2;
    }

    /// <summary>
    /// Writes the control line of PUB, or of HPUB if <paramref name="headerLength"/> is not negative.
    /// </summary>
    public static int PublishLine(
        Span<byte> destination, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength)
    {
        int at = Put(destination, 0, headerLength >= 0 ? "HPUB "u8 : "PUB "u8);
        at = Put(destination, at, subject);
        at = PutAfterSpace(destination, at, replyTo);
        if (headerLength >= 0)
        {
            at = Number(destination, at, (uint)headerLength);
        }

        at = Number(destination, at, (uint)payloadLength);
        return Put(destination, at, "\r\n"u8);
    }

    /// <summary>Writes SUB.</summary>
    public static int Subscribe(Span<byte> destination, ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, ulong sid)
    {
        int at = Put(destination, 0, "SUB "u8);
        at = Put(destination, at, filter);
        at = PutAfterSpace(destination, at, queue);
        at = Number(destination, at, sid);
        return Put(destination, at, "\r\n"u8);
    }

    /// <summary>Writes UNSUB. If <paramref name="max"/> is 0, the subscription ends at once.</summary>
    public static int Unsubscribe(Span<byte> destination, ulong sid, long max)
    {
        int at = Put(destination, 0, "UNSUB"u8);
        at = Number(destination, at, sid);
        if (max > 0)
        {
            at = Number(destination, at, (ulong)max);
        }

        return Put(destination, at, "\r\n"u8);
    }

    /// <summary>Writes -ERR.</summary>
    public static int Error(Span<byte> destination, ReadOnlySpan<byte> text)
    {
        int at = Put(destination, 0, "-ERR '"u8);
        at = Put(destination, at, text);
        return Put(destination, at, "'\r\n"u8);
    }

    /// <summary>
    /// Writes the part of MSG or HMSG between the sid and the payload: <c>" [reply ][header size ]size CR LF"</c>.
    /// </summary>
    public static int MessageTail(Span<byte> destination, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength)
    {
        int at = PutAfterSpace(destination, 0, replyTo);
        if (headerLength >= 0)
        {
            at = Number(destination, at, (uint)headerLength);
        }

        at = Number(destination, at, (uint)payloadLength);
        return Put(destination, at, "\r\n"u8);
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }

    private static int PutAfterSpace(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            return at;
        }

        destination[at] = (byte)' ';
        return Put(destination, at + 1, bytes);
    }

    private static int Number(Span<byte> destination, int at, ulong value)
    {
        destination[at] = (byte)' ';
        if (!Utf8Formatter.TryFormat(value, destination[(at + 1)..], out int written))
        {
            throw new ArgumentException("There is no room for a number.", nameof(destination));
        }

        return at + 1 + written;
    }
}
