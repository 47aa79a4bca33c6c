namespace Broker.ZeroMq;

/// <summary>
/// A subscription or its cancellation, read from a command or from a message. It refers to the memory of the command or
/// message.
/// </summary>
/// <remarks>
/// Peers of 3.1 send commands, and peers of 3.0 send messages (<c>01 topic</c>, <c>00 topic</c>). Both forms are
/// accepted from every peer, since libzmq and other implementations do not agree on which form to send.
/// </remarks>
internal readonly ref struct ZmtpSubscription
{
    private ZmtpSubscription(ZmtpSubscriptionKind kind, ReadOnlySpan<byte> topic)
    {
        Kind = kind;
        Topic = topic;
    }

    /// <summary>Subscribe, cancel, or neither.</summary>
    public ZmtpSubscriptionKind Kind { get; }

    /// <summary>The prefix. An empty prefix matches every message.</summary>
    public ReadOnlySpan<byte> Topic { get; }

    /// <summary>Reads a subscription from a command.</summary>
    public static ZmtpSubscription From(in ZmtpCommand command) => command.Kind switch
    {
        ZmtpCommandKind.Subscribe => new ZmtpSubscription(ZmtpSubscriptionKind.Subscribe, command.Data),
        ZmtpCommandKind.Cancel => new ZmtpSubscription(ZmtpSubscriptionKind.Cancel, command.Data),
        _ => default,
    };

    /// <summary>Reads the joining or leaving of a group from a command to a RADIO.</summary>
    /// <param name="command">The command.</param>
    /// <param name="prefix">At least <see cref="ZmtpGroup.MaxPrefix"/> bytes, which the result refers to.</param>
    public static ZmtpSubscription FromGroup(in ZmtpCommand command, Span<byte> prefix)
    {
        if (command.Kind is not (ZmtpCommandKind.Join or ZmtpCommandKind.Leave)
            || command.Data.Length > ZmtpGroup.MaxLength)
        {
            return default;
        }

        return new ZmtpSubscription(
            command.Kind == ZmtpCommandKind.Join ? ZmtpSubscriptionKind.Subscribe : ZmtpSubscriptionKind.Cancel,
            ZmtpGroup.ToPrefix(command.Data, prefix));
    }

    /// <summary>
    /// Reads a subscription from a message to a PUB or XPUB socket. Only a message of one frame can be a subscription;
    /// other messages are an XSUB socket's messages to its publishers.
    /// </summary>
    public static ZmtpSubscription From(in ZmtpMessage message)
    {
        if (message.FrameCount != 1)
        {
            return default;
        }

        ReadOnlySpan<byte> body = message.FirstFrame.Body;
        if (body.IsEmpty || body[0] > 1)
        {
            return default;
        }

        return new ZmtpSubscription(body[0] == 1 ? ZmtpSubscriptionKind.Subscribe : ZmtpSubscriptionKind.Cancel, body[1..]);
    }
}
