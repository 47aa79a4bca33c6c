namespace Broker.Protocol;

/// <summary>A message of a leaf node connection. All spans are valid until the handler returns.</summary>
public readonly ref struct LeafMessage
{
    internal LeafMessage(
        ReadOnlySpan<byte> subject,
        ReadOnlySpan<byte> replyTo,
        ReadOnlySpan<byte> queueGroups,
        int headerLength,
        ReadOnlySpan<byte> payload)
    {
        Subject = subject;
        ReplyTo = replyTo;
        QueueGroups = queueGroups;
        HeaderLength = headerLength;
        Payload = payload;
    }

    /// <summary>The subject.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The reply subject; empty if the message has no reply subject.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>
    /// The names of the queue groups that receive the message, with spaces between them. Empty: no queue group receives
    /// the message.
    /// </summary>
    public ReadOnlySpan<byte> QueueGroups { get; }

    /// <summary>The number of header bytes at the start of <see cref="Payload"/>; 0 without headers.</summary>
    public int HeaderLength { get; }

    /// <summary>The headers, followed by the body.</summary>
    public ReadOnlySpan<byte> Payload { get; }
}
