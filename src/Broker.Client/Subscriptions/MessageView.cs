using System.Runtime.CompilerServices;
using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>
/// A message in the receive buffer. All spans are borrowed and valid until the handler returns. Copy what must be kept
/// longer.
/// </summary>
public readonly ref struct MessageView
{
    private readonly MessageOperation _operation;

    internal MessageView(in MessageOperation operation, Subscription subscription)
    {
        _operation = operation;
        Subscription = subscription;
    }

    /// <summary>The subject of the message.</summary>
    public ReadOnlySpan<byte> Subject => _operation.Subject;

    /// <summary>The subject for replies. Empty if no reply is expected.</summary>
    public ReadOnlySpan<byte> ReplyTo => _operation.ReplyTo;

    /// <summary>The header block, for reading with <see cref="HeaderBlock"/>. Empty if there are no headers.</summary>
    public ReadOnlySpan<byte> Headers => _operation.Headers;

    /// <summary>The body of the message, without the headers.</summary>
    public ReadOnlySpan<byte> Body => _operation.Body;

    /// <summary>
    /// Whether the previous message on the connection had the same subject, reply subject, sizes and subscription. If
    /// so, results that were computed from these are still valid.
    /// </summary>
    public bool RepeatsLine => _operation.RepeatsLine;

    /// <summary>The subscription that received the message.</summary>
    public Subscription Subscription { get; }

    /// <summary>The connection that received the message.</summary>
    public BrokerConnection Connection => Subscription.Connection;

    /// <summary>Returns an owned copy of the message, which may be kept.</summary>
    public Message ToMessage() => new(in this);

    /// <summary>The body as text, decoded from UTF-8. Each call creates a new string.</summary>
    public string Text => Encoding.UTF8.GetString(Body);

    /// <inheritdoc cref="Message.Respond(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>
    public void Respond(ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers = default) => Connection.Respond(ReplyTo, body, headers);

    /// <inheritdoc cref="Message.Respond(string, ReadOnlySpan{byte})"/>
    [OverloadResolutionPriority(-1)]
    public void Respond(string text, ReadOnlySpan<byte> headers = default) => Connection.Respond(ReplyTo, new OutboundBody(text), headers);

    /// <inheritdoc cref="Message.ToString"/>
    public override string ToString() => Subscription is null ? MessageText.None : MessageText.Of(Subject, Body);
}
