namespace Broker.Protocol;

/// <summary>
/// A MSG or HMSG. All spans point into the receive buffer and are valid until the handler returns.
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

    /// <summary>The subject to which the message was published.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>
    /// The number of the subscription that receives the message. It is a number because clients of this library number
    /// their subscriptions.
    /// </summary>
    public ulong Sid { get; }

    /// <summary>The reply subject. It is empty if the message has no reply subject.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>
    /// The number of header bytes at the start of <see cref="Payload"/>; -1 for MSG, which has no headers.
    /// </summary>
    public int HeaderLength { get; }

    /// <summary>
    /// The header block, from <c>NATS/1.0</c> to the empty line at its end. It is empty if the message has no headers.
    /// </summary>
    public ReadOnlySpan<byte> Headers => HeaderLength > 0 ? Payload[..HeaderLength] : default;

    /// <summary>The part of the payload after the headers.</summary>
    public ReadOnlySpan<byte> Body => HeaderLength > 0 ? Payload[HeaderLength..] : Payload;

    /// <summary>Headers and body, without the final CR LF.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>
    /// Whether the previous message from the same parser had the same line: subject, sid, reply and sizes.
    /// </summary>
    public bool RepeatsLine { get; }
}
