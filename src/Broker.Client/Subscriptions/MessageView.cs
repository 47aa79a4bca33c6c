using Broker.Protocol.Headers;
using Broker.Protocol.Parsing;

namespace Broker.Client.Subscriptions;

/// <summary>
/// A message where it lies in the receive buffer. All spans are borrowed and good until the handler returns: copy what
/// must live longer.
/// </summary>
public readonly ref struct MessageView
{
    private readonly MessageOperation _operation;

    internal MessageView(in MessageOperation operation, Subscription subscription)
    {
        _operation = operation;
        Subscription = subscription;
    }

    /// <summary>The subject it was published to.</summary>
    public ReadOnlySpan<byte> Subject => _operation.Subject;

    /// <summary>Where an answer is expected; empty when none is.</summary>
    public ReadOnlySpan<byte> ReplyTo => _operation.ReplyTo;

    /// <summary>The header block, to be read with <see cref="HeaderBlock"/>; empty when there is none.</summary>
    public ReadOnlySpan<byte> Headers => _operation.Headers;

    /// <summary>What follows the headers.</summary>
    public ReadOnlySpan<byte> Body => _operation.Body;

    /// <summary>
    /// Whether the message before this one, on the connection, had the same subject, reply, sizes and subscription: what was
    /// found out about them still holds.
    /// </summary>
    public bool RepeatsLine => _operation.RepeatsLine;

    /// <summary>The subscription it was delivered for.</summary>
    public Subscription Subscription { get; }

    /// <summary>The connection it came by.</summary>
    public BrokerConnection Connection => Subscription.Connection;

    /// <summary>A copy of one's own, which may be kept.</summary>
    public Message ToMessage() => new(in this);

    /// <inheritdoc cref="Message.Respond"/>
    public void Respond(ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers = default) => Connection.Core.Respond(ReplyTo, body, headers);
}
