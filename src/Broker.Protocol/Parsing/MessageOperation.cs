namespace Broker.Protocol.Parsing;

/// <summary>
/// A MSG or HMSG. All spans are borrowed from the receive buffer and good until the handler returns.
/// </summary>
public readonly ref struct MessageOperation
{
    internal MessageOperation(
        ReadOnlySpan<byte> subject, ulong sid, ReadOnlySpan<byte> replyTo, int headerLength, ReadOnlySpan<byte> payload,
        bool repeatsLine)
    {
        Subject = subject;
        Sid = sid;
        ReplyTo = replyTo;
        HeaderLength = headerLength;
        Payload = payload;
        RepeatsLine = repeatsLine;
    }

    /// <summary>The subject the message was published to.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The subscription it is for. Clients of this library number theirs.</summary>
    public ulong Sid { get; }

    /// <summary>The reply subject; empty when there is none.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>How many bytes at the start of <see cref="Payload"/> are headers; -1 for MSG, which has none.</summary>
    public int HeaderLength { get; }

    /// <summary>The header block, from <c>NATS/1.0</c> to its empty line; empty when there is none.</summary>
    public ReadOnlySpan<byte> Headers => HeaderLength > 0 ? Payload[..HeaderLength] : default;

    /// <summary>What follows the headers.</summary>
    public ReadOnlySpan<byte> Body => HeaderLength > 0 ? Payload[HeaderLength..] : Payload;

    /// <summary>Headers and body, without the CR LF that follows.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Whether the message before this one, by the same parser, had the same line: subject, sid, reply and sizes.</summary>
    public bool RepeatsLine { get; }
}
