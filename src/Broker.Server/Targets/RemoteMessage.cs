namespace Broker.Server;

/// <summary>
/// A message of the account that a <see cref="RemoteTarget"/> forwards to its peer. All spans are valid until the
/// handler returns.
/// </summary>
public readonly ref struct RemoteMessage
{
    internal RemoteMessage(in RoutedMessage message, ReadOnlySpan<byte> queueGroups)
    {
        Subject = message.Subject;
        ReplyTo = message.ReplyTo;
        HeaderLength = Math.Max(message.HeaderLength, 0);
        Payload = message.Payload;
        QueueGroups = queueGroups;
    }

    /// <summary>The subject.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The reply subject; empty if the message has no reply subject.</summary>
    public ReadOnlySpan<byte> ReplyTo { get; }

    /// <summary>The number of header bytes at the start of <see cref="Payload"/>; 0 without headers.</summary>
    public int HeaderLength { get; }

    /// <summary>The headers, followed by the body.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>
    /// The names of the peer's queue groups that receive the message, with one space between them; empty for none. A
    /// group that has a member in this server is not among them.
    /// </summary>
    public ReadOnlySpan<byte> QueueGroups { get; }
}
