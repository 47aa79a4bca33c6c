namespace Broker.Server;

/// <summary>A message for a <see cref="MessageTarget"/>. All spans are valid until the handler returns.</summary>
public readonly ref struct DeliveredMessage
{
    internal DeliveredMessage(TargetSubscription subscription, ReadOnlySpan<byte> bytes, in QueuedMessage lengths)
    {
        Subscription = subscription;
        Subject = bytes[..lengths.Subject];
        ReplyTo = bytes.Slice(lengths.Subject, lengths.ReplyTo);
        Payload = bytes.Slice(lengths.Subject + lengths.ReplyTo, lengths.Payload);
        HeaderLength = lengths.Headers;
    }

    /// <summary>The target's subscription that received the message.</summary>
    public TargetSubscription Subscription { get; }

    /// <summary>The subject of the message in the target's account.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The reply subject; empty if the message has no reply subject.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>The number of header bytes at the start of <see cref="Payload"/>; 0 without headers.</summary>
    public int HeaderLength { get; }

    /// <summary>The headers, followed by the body.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>The header block, from <c>NATS/1.0</c> to its empty line; empty without headers.</summary>
    public ReadOnlySpan<byte> Headers => Payload[..HeaderLength];

    /// <summary>The part of the payload after the headers.</summary>
    public ReadOnlySpan<byte> Body => Payload[HeaderLength..];
}
