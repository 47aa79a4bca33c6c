using System.Buffers.Text;

namespace Broker.Protocol.Writing;

/// <summary>
/// Writes operations into memory of the caller's. Each method returns how many bytes it wrote; the destination must have
/// room, which <see cref="PublishSize"/> and the constants tell; an <see cref="ArgumentException"/> or another exception for
/// the bounds of a span is thrown where it has not, and what was written until then is worth nothing.
/// </summary>
/// <remarks>Nothing is checked here: subjects must be free of white space, or they would end early and begin another line.</remarks>
public static class OperationWriter
{
    /// <summary>More than any line takes beside its subjects, queue and payload: verbs, separators, numbers and line ends.</summary>
    public const int LineOverhead = 64;

    /// <summary>An upper bound for what <see cref="Publish"/> writes before the payload, and for the CR LF after it.</summary>
    public static int PublishSize(int subject, int replyTo, int headers, int body) => subject + replyTo + headers + body + LineOverhead;

    /// <summary>PUB, or HPUB when there are headers, whole. <paramref name="headers"/> is a complete header block.</summary>
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

    /// <summary>The control line of PUB, or of HPUB when <paramref name="headerLength"/> is not negative.</summary>
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

    /// <summary>SUB.</summary>
    public static int Subscribe(Span<byte> destination, ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, ulong sid)
    {
        int at = Put(destination, 0, "SUB "u8);
        at = Put(destination, at, filter);
        at = PutAfterSpace(destination, at, queue);
        at = Number(destination, at, sid);
        return Put(destination, at, "\r\n"u8);
    }

    /// <summary>UNSUB, at once when <paramref name="max"/> is 0.</summary>
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

    /// <summary>-ERR.</summary>
    public static int Error(Span<byte> destination, ReadOnlySpan<byte> text)
    {
        int at = Put(destination, 0, "-ERR '"u8);
        at = Put(destination, at, text);
        return Put(destination, at, "'\r\n"u8);
    }

    /// <summary>
    /// What follows subject and sid in MSG or HMSG, up to the payload: <c>" [reply ][header size ]size CR LF"</c>.
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
