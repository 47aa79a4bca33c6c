using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// The state that the parts of a connection share (the current server, the connection state and the gate that guards
/// both), and the parts themselves. Each part owns the rest of its data.
/// </summary>
/// <remarks>
/// "Under the gate" means that the caller holds <see cref="Gate"/>. No callback of the application is called under the
/// gate.
/// </remarks>
internal sealed class ConnectionCore
{
    private readonly SharedEventLoops? _shared;
    private readonly TracedSends? _tracedSends;
    private volatile Link? _link;
    private long _messagesIn;
    private long _bytesIn;
    private volatile ConnectionState _state = ConnectionState.Connecting;

    internal ConnectionCore(BrokerConnection connection, ClientOptions options)
    {
        Connection = connection;
        Options = options;
        Tls = new ClientTlsContext(options.Tls);
        Events = new ClientEvents(connection, options);
        Connector = new Connector(this);
        _shared = options.Loops is null ? SharedEventLoops.Acquire(fault => Events.ReportFault(null, fault)) : null;
        Group = options.Loops ?? _shared!.Group;
        Loop = Group.Next();
        string inbox = Requester.NewInbox(options.InboxPrefix) + ".";
        ReconnectBuffer = new ReconnectBuffer(options.ReconnectBufferSize, inbox, number => Requester!.IsAwaited(number));
        Accounting = new OutboundAccounting(this);
        Writable = new WritableSignal(this);
        Publisher = new MessagePublisher(this);
        Barriers = new BarrierQueue(this);
        Subscriber = new SubscriptionManager(this);
        Requester = new Requester(this, inbox);
        Lifecycle = new Lifecycle(this);
        if (options.Tracing)
        {
            Tracer = new ClientTracer(this);
            _tracedSends = new TracedSends(this, Tracer);
        }
    }

    internal BrokerConnection Connection { get; }

    internal ClientOptions Options { get; }

    internal ClientTlsContext Tls { get; }

    internal EventLoopGroup Group { get; }

    /// <summary>The event loop that runs handlers and callbacks.</summary>
    internal EventLoop Loop { get; }

    internal Lock Gate { get; } = new();

    /// <summary>
    /// Cancelled when the connection ends. It is never disposed: it has no timer, and a running connect may still read
    /// its token.
    /// </summary>
    internal CancellationTokenSource Ending { get; } = new();

    /// <summary>
    /// The current server. Null if no server is connected. Written under the gate, read on any thread.
    /// </summary>
    internal Link? Link
    {
        get => _link;
        set => _link = value;
    }

    /// <summary>The connection state. Written under the gate, read on any thread.</summary>
    internal ConnectionState State
    {
        get => _state;
        set => _state = value;
    }

    internal ClientEvents Events { get; }

    /// <summary>Logs that a handler blocks the loop, so that requests have ended at their deadlines.</summary>
    internal void ReportBlockedLoop() => Options.Log?.LoopBlocked();

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

    /// <summary>The loop of the group that the caller runs on. Null on every other thread.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EventLoop? CurrentLoop()
        => Loop.IsCurrent ? Loop : Group.Count == 1 ? null : OtherCurrentLoop();

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
                PendingBytes = _link is { } link ? link.Transport.PendingBytes + link.Transport.ExternalWriteBuffer.Length : ReconnectBuffer.Length,
                Faults = Events.Faults,
            };
        }
    }

    internal void Respond(ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers)
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
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
        => TracedSends is { } traced
            ? traced.RequestAsync(subject, body, timeout, headers, cancellationToken)
            : Requester.RequestAsync(subject, body, timeout, headers, cancellationToken);

    internal Activity? StartProcess(in Message message)
        => Tracer is { HasListeners: true } tracer
            ? tracer.StartProcess(message.Subscription, message.SubjectBytes.Span, message.Headers.Span, message.Body.Length)
            : null;

    internal void ReleaseLoops() => _shared?.Dispose();

    private EventLoop? OtherCurrentLoop()
    {
        for (int i = 0; i < Group.Count; i++)
        {
            if (Group[i].IsCurrent)
            {
                return Group[i];
            }
        }

        return null;
    }
}
