using System.Runtime.CompilerServices;
using Broker.Client.Errors;
using Broker.Client.Publishing;
using Broker.Client.Requests;
using Broker.Client.Subscriptions;
using Broker.Client.Telemetry;
using Broker.Transport;
using Broker.Transport.Tls;

namespace Broker.Client;

/// <summary>
/// A connection to a NATS server, kept up over the loss of servers until it is closed.
/// </summary>
/// <remarks>
/// <para><b>Threads.</b> All methods may be called from any thread. Handlers and callbacks run on one event loop,
/// <see cref="Loop"/>, which must not be blocked: never wait there for a task of this connection.</para>
/// <para><b>Order.</b> What one thread publishes arrives in order. A loop of the connection's group writes without a lock
/// and sends at the end of its turn; all other threads take turns under one lock. SUB, UNSUB and PING are on their way
/// when the call returns: what is published after that, by whomever, comes behind them.</para>
/// <para><b>Delivery</b> is at most once. Bytes that were handed to the transport are never sent to another server.</para>
/// <para><b>Memory.</b> What is published is copied once, into the outbound bytes. What is received is borrowed from the
/// receive buffer for the time of the handler.</para>
/// </remarks>
public sealed partial class BrokerConnection : IAsyncDisposable
{
    private BrokerConnection(ClientOptions options) => Core = new ConnectionCore(this, options);

    /// <summary>The loop on which handlers and callbacks run.</summary>
    public EventLoop Loop => Core.Loop;

    /// <summary>Where it is in its life. A moment's truth.</summary>
    public ConnectionState State => Core.State;

    /// <summary>The largest message, headers included, that the server accepts, in bytes. May change with the server.</summary>
    public int MaxPayload => Core.Publisher.MaxPayload;

    /// <summary>
    /// The server in use, as <c>host:port</c>, or the name that it gave itself where <see cref="ClientOptions.Dialer"/> reaches it; null while there is none.
    /// </summary>
    public string? Server => Core.Link is not { } link ? null : Core.Options.Dialer is null ? link.Address.ToString() : link.Info.ServerName ?? "";

    /// <summary>The name and version that the server in use gave itself; null while there is none.</summary>
    public (string? Name, string? Version)? ServerIdentity => Core.Link is { } link ? (link.Info.ServerName, link.Info.Version) : null;

    /// <summary>What TLS agreed on with the server in use; null in clear, and while there is none.</summary>
    public TlsDescription? TlsFacts => Core.Link?.Transport.TlsDescription;

    internal ConnectionCore Core { get; }

    /// <summary>Connects to the first of the servers that answers, with the defaults for all else.</summary>
    /// <param name="servers">As <see cref="ClientOptions.Servers"/>, with commas between several.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    public static Task<BrokerConnection> ConnectAsync(string servers, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(servers);
        return ConnectAsync(new ClientOptions { Servers = servers.Split(',') }, cancellationToken);
    }

    /// <summary>Connects to the server that a dialer leads to, with the defaults for all else.</summary>
    /// <param name="dialer">As <see cref="ClientOptions.Dialer"/>: <c>server.Connect()</c> for an embedded server.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    public static Task<BrokerConnection> ConnectAsync(IDialer dialer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(dialer);
        return ConnectAsync(new ClientOptions { Dialer = dialer }, cancellationToken);
    }

    /// <summary>Connects to the first of the servers that answers.</summary>
    /// <param name="options">Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the attempt; it has no part in the connection's later life.</param>
    /// <exception cref="AuthorizationException">The last server tried does not accept the credentials.</exception>
    /// <exception cref="ServerErrorException">It refused for another reason.</exception>
    /// <exception cref="ProtocolViolationException">It does not speak the protocol.</exception>
    /// <exception cref="TlsException">It does not offer the TLS that is required, or one side does not accept the other's certificate.</exception>
    /// <exception cref="ConnectionLostException">It cannot be reached, or ended the connection.</exception>
    /// <exception cref="TimeoutException">It did not answer within <see cref="ClientOptions.ConnectTimeout"/>.</exception>
    /// <exception cref="FormatException">An address is malformed.</exception>
    /// <exception cref="ArgumentException">Another option is out of its range.</exception>
    [OverloadResolutionPriority(1)]
    public static async Task<BrokerConnection> ConnectAsync(ClientOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new ClientOptions();
        ClientOptions.Validate(options);
        var connection = new BrokerConnection(ClientLog.Attach(options));
        try
        {
            await connection.Core.Connector.ConnectAsync(cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.Core.Lifecycle.EndAsync(quietly: true).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>A subject that nobody else uses, for answers.</summary>
    /// <param name="prefix">What it begins with, as <see cref="ClientOptions.InboxPrefix"/>: a user may be permitted no other.</param>
    /// <exception cref="ArgumentException">The prefix is no subject, has wildcards, or more than 256 characters.</exception>
    public static string NewInbox(string prefix = ClientOptions.DefaultInboxPrefix)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        return ClientOptions.IsInboxPrefix(prefix)
            ? Requester.NewInbox(prefix)
            : throw new ArgumentException("The prefix of an inbox is a subject without wildcards, of 256 characters at most.", nameof(prefix));
    }

    /// <summary>Publishes bytes as they are: the path for programs that forward.</summary>
    /// <param name="subject">
    /// Where to. <b>Not checked</b>, and neither is <paramref name="replyTo"/>: a space, tab or line end in it ends the
    /// subject early and makes the server read the rest as other arguments, or as commands. Whoever takes subjects from
    /// others checks them before (<see cref="Broker.Protocol.Subjects.Subject"/>), or uses the overload for strings.
    /// The server drops a message whose subject has an empty token, without a word.
    /// </param>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line, or nothing.</param>
    /// <returns>What became of it. Nothing is thrown, nothing waits.</returns>
    public PublishStatus TryPublish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo = default, ReadOnlySpan<byte> headers = default)
        => Core.Publisher.TryPublish(subject, body, replyTo, headers);

    /// <summary>
    /// Publishes bytes that <paramref name="writer"/> writes straight into the outbound bytes, without another copy. Subjects
    /// are <b>not checked</b>, as in the overload for spans.
    /// </summary>
    /// <param name="subject">Where to.</param>
    /// <param name="replyTo">Where an answer is expected; empty for nowhere.</param>
    /// <param name="headerLength">The length of the header block that comes first, or -1 for a message without.</param>
    /// <param name="payloadLength">The length of header block and body together.</param>
    /// <param name="writer">Writes exactly that many bytes. Called at most once, before the return.</param>
    /// <returns>What became of it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The lengths contradict each other.</exception>
    public PublishStatus TryPublish<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
        => Core.Publisher.TryPublish(subject, replyTo, headerLength, payloadLength, ref writer);

    /// <summary>As <see cref="Publish"/>, telling what became of the message instead of throwing.</summary>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    public PublishStatus TryPublish(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.TracedSends is { } traced ? traced.TryPublish(subject, body, replyTo, headers) : Core.Publisher.TryPublish(subject, body, replyTo, headers);

    /// <summary>Publishes text subjects, checked.</summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line, or nothing.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted. <see cref="PublishStatus.Dropped"/> throws nothing.</exception>
    public void Publish(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.Publisher.ThrowIfRefused(TryPublish(subject, body, replyTo, headers), body.Length + headers.Length);

    /// <summary>
    /// As <see cref="Publish"/>, waiting for room where as many bytes wait for the server, or are kept for the next one, as may.
    /// Without a server it waits only where messages are kept and the buffer is full. What one caller publishes in this way, waiting
    /// each time, arrives in order. Not on <see cref="Loop"/>, which would wait for itself.
    /// </summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Must not change before the task is done.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <param name="cancellationToken">Gives it up while it waits; nothing of it has been accepted then.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted, and waiting would not help.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.TracedSends is { } traced
            ? traced.PublishAsync(subject, body, replyTo, headers, cancellationToken)
            : Core.Publisher.PublishAsync(subject, body, replyTo, headers, cancellationToken);

    /// <summary>
    /// Subscribes. The SUB is on its way when the call returns, or will be sent to the next server before anything else.
    /// </summary>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="handler">Called for each message, on <see cref="Loop"/>.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <param name="state">For the handler's use: <see cref="Subscription.State"/>.</param>
    /// <exception cref="ArgumentException">The filter or the queue's name is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or being drained.</exception>
    public Subscription Subscribe(string filter, MessageHandler handler, string? queue = null, object? state = null)
        => Core.Subscriber.Subscribe(filter, Core.Tracer is { } tracer ? tracer.Wrap(handler) : handler, queue, state);

    /// <summary>Subscribes with a queue between the connection and whoever reads.</summary>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="options">How much may wait, and what becomes of the rest. Null for the defaults.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <exception cref="ArgumentException">The filter, the queue's name or an option is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or being drained.</exception>
    public QueuedSubscription SubscribeQueued(string filter, QueueOptions? options = null, string? queue = null)
        => Core.Subscriber.SubscribeQueued(filter, options, queue);

    /// <summary>
    /// Subscribes and reads: <c>await foreach (Message message in connection.ReadAsync("orders.>"))</c>. Subscribed from the first step
    /// on, and until the loop is left, the token is cancelled or the connection has ended.
    /// </summary>
    /// <inheritdoc cref="SubscribeQueued"/>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="options">How much may wait, and what becomes of the rest. Null for the defaults.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <param name="cancellationToken">Ends the wait for the next message with an <see cref="OperationCanceledException"/>.</param>
    public async IAsyncEnumerable<Message> ReadAsync(
        string filter, QueueOptions? options = null, string? queue = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        QueuedSubscription subscription = SubscribeQueued(filter, options, queue);
        await using (subscription.ConfigureAwait(false))
        {
            await foreach (Message message in subscription.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                yield return message;
            }
        }
    }

    /// <summary>Publishes a request and waits for the first answer.</summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Copied before the return.</param>
    /// <param name="timeout">How long to wait for the answer; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it takes.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <param name="cancellationToken">Gives it up.</param>
    /// <returns>The answer. To be awaited once.</returns>
    /// <exception cref="ArgumentException">The subject is not valid, or the headers are no block.</exception>
    /// <exception cref="NoRespondersException">Nobody subscribes to the subject.</exception>
    /// <exception cref="TimeoutException">No answer came in time.</exception>
    /// <exception cref="ConnectionLostException">There is no server, it was lost before the answer, or the connection is closed.</exception>
    /// <exception cref="PublishRefusedException">The request was not accepted.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="InvalidOperationException">1,048,575 requests wait already.</exception>
    public ValueTask<Message> RequestAsync(
        string subject, ReadOnlyMemory<byte> body, TimeSpan timeout, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.RequestAsync(subject, body.Span, timeout, headers.Span, cancellationToken);

    /// <summary>
    /// As <see cref="RequestAsync"/>, for a thread that may block: it waits for the answer. Not on an event loop, unless that is one without a
    /// thread (<see cref="EventLoopOptions.CallerDriven"/>) which the caller turns: it then goes on turning, calls whatever handlers are
    /// due, and needs no other thread to be woken.
    /// </summary>
    /// <inheritdoc cref="RequestAsync"/>
    /// <returns>The answer.</returns>
    /// <exception cref="InvalidOperationException">On a loop of the connection's group that has a thread or is in a turn, or 1,048,575 requests wait already.</exception>
    public Message Request(
        string subject, ReadOnlySpan<byte> body, TimeSpan timeout, ReadOnlySpan<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.TracedSends is { } traced
            ? traced.Request(subject, body, timeout, headers, cancellationToken)
            : Core.Requester.Request(subject, body, timeout, headers, cancellationToken);

    /// <summary>
    /// Publishes a request and reads the answers of all who respond, until there are enough, none has come for a while, one is the sign of
    /// the end, or the deadline has come: it then ends, whether there were any or not. Sent with the first step.
    /// </summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Must not change before the first step.</param>
    /// <param name="options">When it has had all answers. Null for the defaults.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <param name="cancellationToken">Ends the wait for the next answer with an <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="ArgumentException">The subject or an option is not valid, or the headers are no block.</exception>
    /// <exception cref="NoRespondersException">Nobody subscribes to the subject.</exception>
    /// <exception cref="ConnectionLostException">There is no server, it was lost before the end, or the connection is closed; after what had come.</exception>
    /// <exception cref="PublishRefusedException">The request was not accepted.</exception>
    /// <exception cref="SlowConsumerException">Answers of more than <see cref="RequestManyOptions.MaxBytes"/> waited to be read.</exception>
    public IAsyncEnumerable<Message> RequestManyAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        options ??= new RequestManyOptions();
        options.Validate();
        return Core.TracedSends is { } traced
            ? traced.RequestManyAsync(subject, body, options, headers, cancellationToken)
            : Core.Requester.RequestManyAsync(subject, body, options, headers, cancellationToken);
    }

    /// <summary>Scatters a request and gathers what has come of <see cref="RequestManyAsync"/> when that has ended.</summary>
    /// <inheritdoc cref="RequestManyAsync"/>
    /// <returns>The answers in the order of their arrival; none when the deadline came first.</returns>
    /// <exception cref="SlowConsumerException">All answers together have more than <see cref="RequestManyOptions.MaxBytes"/>.</exception>
    public async Task<IReadOnlyList<Message>> GatherAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        options ??= new RequestManyOptions();
        var answers = new List<Message>();
        long bytes = 0;
        await foreach (Message answer in RequestManyAsync(subject, body, options, headers, cancellationToken).ConfigureAwait(false))
        {
            bytes += answer.Size;
            if (bytes > options.MaxBytes)
            {
                throw new SlowConsumerException(subject, options.MaxBytes);
            }

            answers.Add(answer);
        }

        return answers;
    }

    /// <summary>
    /// Asks to be told when the server has dealt with what the caller's thread sent so far: a PING, whose PONG comes
    /// behind everything that follows from it. After a subscribe: every message published from then on comes by it.
    /// </summary>
    /// <param name="callback">
    /// Called once, never on the caller's stack: on <see cref="Loop"/>, or on a thread of the pool when the connection is closed.
    /// </param>
    /// <param name="state">For the callback's use.</param>
    /// <exception cref="InvalidOperationException">65,536 barriers are unanswered.</exception>
    public void Barrier(BarrierCallback callback, object? state = null) => Core.Barriers.Ask(callback, state);

    /// <summary>Waits until the server has dealt with what the caller's thread sent so far.</summary>
    /// <returns>How long the server took to answer.</returns>
    /// <exception cref="ConnectionLostException">There is no server, or it was lost meanwhile.</exception>
    public Task<TimeSpan> PingAsync(CancellationToken cancellationToken = default) => Core.Barriers.PingAsync(cancellationToken);

    /// <summary>
    /// Waits until the server has dealt with everything that was published before, by any thread and by every loop.
    /// </summary>
    /// <exception cref="ConnectionLostException">There is no server, or it was lost meanwhile.</exception>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Core.Barriers.FlushAsync(cancellationToken);

    /// <summary>What it has done so far.</summary>
    public ClientStatistics GetStatistics() => Core.GetStatistics();

    /// <summary>
    /// Closes without loss: ends all subscriptions, lets the messages that are on their way be handled, or read where they are
    /// queued, and what that gives rise to be sent, and then closes. Where several read one queue, the answer of the one that is done last
    /// may come too late. After <see cref="ClientOptions.DrainTimeout"/>, or when
    /// <paramref name="cancellationToken"/> is cancelled, it closes without waiting on.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled. The connection is closed all the same.</exception>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Core.Lifecycle.DrainAsync(cancellationToken);

    /// <summary>
    /// Stops accepting messages, sends what is queued (for at most <see cref="ClientOptions.DrainTimeout"/>) and closes.
    /// What was kept for a server that did not come is counted as dropped. May be called again and from any thread; on a
    /// loop do not wait for it.
    /// </summary>
    public Task CloseAsync() => Core.Lifecycle.EndAsync(quietly: false);

    /// <summary>As <see cref="CloseAsync"/>.</summary>
    public ValueTask DisposeAsync() => new(CloseAsync());
}
