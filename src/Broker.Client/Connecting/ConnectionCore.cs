using System.Diagnostics;
using Broker.Transport;

namespace Broker.Client;

/// <summary>The shared state of a connection, and all its parts.</summary>
internal sealed class ConnectionCore : SharedState
{
    private readonly TracedSends? _tracedSends;
    private long _messagesIn;
    private long _bytesIn;

    internal ConnectionCore(BrokerConnection connection, ClientOptions options, ClientEvents events)
        : base(options, events)
    {
        Connection = connection;
        Tls = new ClientTlsContext(options.Tls);
        Events = events;
        Connector = new Connector(this);
        string inbox = Requester.NewInbox(options.InboxPrefix) + ".";
        ReconnectBuffer = new ReconnectBuffer(options.ReconnectBufferSize, inbox, number => Requester!.IsAwaited(number));
        Accounting = new OutboundAccounting(this, ReconnectBuffer);
        Writable = new WritableSignal(this, events);
        Publisher = new MessagePublisher(this, Accounting, Writable, ReconnectBuffer);
        Barriers = new BarrierQueue(this, Accounting, events);
        Subscriber = new SubscriptionManager(this, connection, Barriers, events);
        Requester = new Requester(this, Publisher, Subscriber, ReconnectBuffer, events, inbox);
        Lifecycle = new Lifecycle(this);
        if (options.Tracing)
        {
            Tracer = new ClientTracer(this, Publisher);
            _tracedSends = new TracedSends(Publisher, Requester, Tracer);
        }
    }

    internal BrokerConnection Connection { get; }

    internal ClientTlsContext Tls { get; }

    internal ClientEvents Events { get; }

    internal Connector Connector { get; }

    internal ReconnectBuffer ReconnectBuffer { get; }

    internal OutboundAccounting Accounting { get; }

    internal WritableSignal Writable { get; }

    internal MessagePublisher Publisher { get; }

    internal BarrierQueue Barriers { get; }

    internal SubscriptionManager Subscriber { get; }

    internal Requester Requester { get; }

    internal Lifecycle Lifecycle { get; }

    /// <summary>Creates the spans. Null if the options do not enable tracing.</summary>
    internal ClientTracer? Tracer { get; }

    /// <summary>Publishes and requests with spans. Null if nobody listens to the spans.</summary>
    internal TracedSends? TracedSends => _tracedSends is { } sends && Tracer!.HasListeners ? sends : null;

    /// <summary>
    /// The name of a server in texts for the application. A dialer has its own target, so the configured address would
    /// be wrong there.
    /// </summary>
    internal string NameOf(ServerAddress address) => Options.Dialer is null ? address.ToString() : "by the dialer";

    /// <summary>Adds to the counters of received messages. Called on the connection's loop.</summary>
    internal void CountInbound(long messages, long bytes)
    {
        Volatile.Write(ref _messagesIn, _messagesIn + messages);
        Volatile.Write(ref _bytesIn, _bytesIn + bytes);
    }

    internal ClientStatistics GetStatistics()
    {
        (long messages, long bytes) = Accounting.Accepted;
        lock (Gate)
        {
            return new ClientStatistics
            {
                MessagesIn = Volatile.Read(ref _messagesIn),
                BytesIn = Volatile.Read(ref _bytesIn),
                MessagesOut = messages,
                BytesOut = bytes,
                Reconnects = Connector.Reconnects,
                Dropped = Publisher.Dropped + ReconnectBuffer.Dropped,
                Lost = Accounting.Lost,
                Unconfirmed = Accounting.Unconfirmed,
                LostBytes = Accounting.LostBytes,
                PendingBytes = Link is { } link ? link.Transport.PendingBytes + link.Transport.ExternalWriteBuffer.Length : ReconnectBuffer.Length,
                Faults = Events.Faults,
            };
        }
    }

    internal PublishStatus PublishWithStatus(string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers)
        => TracedSends is { } traced ? traced.PublishWithStatus(subject, body, replyTo, headers) : Publisher.PublishWithStatus(subject, body, replyTo, headers);

    internal void Publish(string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers)
        => Publisher.ThrowIfRefused(PublishWithStatus(subject, body, replyTo, headers), body.Length + headers.Length);

    /// <summary>Publishes or waits for space. The body and the headers are copied before the method returns.</summary>
    internal ValueTask PublishAsync(
        string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
        => TracedSends is { } traced
            ? traced.PublishAsync(subject, body.ToArray(), replyTo, headers.ToArray(), cancellationToken)
            : Publisher.PublishAsync(subject, body, replyTo, headers, cancellationToken);

    internal void Respond(ReadOnlySpan<byte> replyTo, OutboundBody body, ReadOnlySpan<byte> headers)
    {
        if (TracedSends is { } traced)
        {
            traced.Respond(replyTo, body, headers);
        }
        else
        {
            Publisher.Respond(replyTo, body, headers);
        }
    }

    internal ValueTask<Message> RequestAsync(
        string subject, OutboundBody body, TimeSpan? timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
        => TracedSends is { } traced
            ? traced.RequestAsync(subject, body, timeout ?? Options.RequestTimeout, headers, cancellationToken)
            : Requester.RequestAsync(subject, body, timeout ?? Options.RequestTimeout, headers, cancellationToken);

    internal Message Request(
        string subject, OutboundBody body, TimeSpan? timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
        => TracedSends is { } traced
            ? traced.Request(subject, body, timeout ?? Options.RequestTimeout, headers, cancellationToken)
            : Requester.Request(subject, body, timeout ?? Options.RequestTimeout, headers, cancellationToken);

    internal Activity? StartProcess(in Message message)
        => Tracer is { HasListeners: true } tracer
            ? tracer.StartProcess(message.Subscription, message.SubjectBytes.Span, message.Headers.Span, message.Body.Length)
            : null;
}
