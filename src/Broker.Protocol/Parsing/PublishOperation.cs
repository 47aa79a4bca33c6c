namespace Broker.Protocol.Parsing;

/// <summary>
/// A PUB or HPUB. All spans are borrowed from the receive buffer and good until the handler returns.
/// </summary>
public readonly ref struct PublishOperation
{
    internal PublishOperation(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, ReadOnlySpan<byte> payload,
        ReadOnlySpan<byte> tail, bool repeatsSubject)
    {
        Subject = subject;
        ReplyTo = replyTo;
        HeaderLength = headerLength;
        Payload = payload;
        Tail = tail;
        RepeatsSubject = repeatsSubject;
    }

    /// <summary>A message that no parser has read: subscribers are sent what is put together from these parts.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="replyTo">The reply subject; empty for none.</param>
    /// <param name="headerLength">How many bytes at the start of the payload are headers; -1 for a message without.</param>
    /// <param name="payload">Headers and body.</param>
    public PublishOperation(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, ReadOnlySpan<byte> payload)
        : this(subject, replyTo, headerLength, payload, default, repeatsSubject: false)
    {
    }

    /// <summary>The same message under another subject.</summary>
    public PublishOperation WithSubject(ReadOnlySpan<byte> subject) => new(subject, ReplyTo, HeaderLength, Payload, Tail, repeatsSubject: false);

    /// <summary>The subject, at least one byte, as sent: nothing says that it is valid.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The reply subject; empty when there is none.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>How many bytes at the start of <see cref="Payload"/> are headers; -1 when there are none, as in every PUB and in a HPUB that says 0.</summary>
    public int HeaderLength { get; }

    /// <summary>Whether there are headers.</summary>
    public bool HasHeaders => HeaderLength >= 0;

    /// <summary>Headers and body, without the CR LF that follows.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>
    /// What a subscriber must be sent after subject and sid, in one piece: <c>" [reply ][header size ]size CR LF payload CR LF"</c>,
    /// beginning with the space. Empty when the publisher's line had another form than servers send; then it must be
    /// put together from the parts.
    /// </summary>
    public ReadOnlySpan<byte> Tail { get; }

    /// <summary>Whether the publish before this one, by the same parser, had the same subject: what was found for it still stands.</summary>
    public bool RepeatsSubject { get; }
}
