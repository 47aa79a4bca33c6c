using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>A connection to a NATS server that reconnects after a loss until it is closed.</summary>
/// <remarks>
/// <para><b>Threads.</b> All methods may be called from any thread. Handlers and callbacks run on one event loop,
/// <see cref="Loop"/>. Code on that loop must not block, and must not wait for a task of this connection.</para>
/// <para><b>Order.</b> Messages that one thread publishes arrive in order. An event loop of the connection's group
/// writes without a lock, and its bytes are sent at the end of the loop's iteration. All other threads share one lock.
/// SUB, UNSUB and PING are queued when the call returns: the server receives them before any message that any thread
/// publishes after the call.</para>
/// <para><b>Delivery</b> is at most once. Bytes that were passed to one server's transport are never sent to another
/// server.</para>
/// <para><b>Memory.</b> A published message is copied once, into the outbound buffer. A received message is borrowed
/// from the receive buffer until the handler returns.</para>
/// </remarks>
public sealed partial class BrokerConnection : IAsyncDisposable
{
    private BrokerConnection(ClientOptions options) => Core = new ConnectionCore(this, options, new ClientEvents(this, options));

    /// <summary>The event loop that runs the handlers and callbacks of this connection.</summary>
    public EventLoop Loop => Core.Loop;

    /// <summary>
    /// The prefix of reply subjects, <see cref="ClientOptions.InboxPrefix"/>, for <see cref="NewInbox"/>.
    /// </summary>
    public string InboxPrefix => Core.Options.InboxPrefix;

    /// <summary>The current state. It may have changed by the time the caller uses it.</summary>
    public ConnectionState State => Core.State;

#pragma warning disable MA0046 // The connection itself is the sender, and its type saves each handler a cast.
    /// <summary>
    /// Raised when a server was lost (<see cref="ConnectionState.Reconnecting"/>), when a server is connected again
    /// (<see cref="ConnectionState.Connected"/>), and when the connection has closed
    /// (<see cref="ConnectionState.Closed"/>). Libraries use it, because the callbacks of the options belong to the
    /// program that connects.
    /// </summary>
    /// <remarks>
    /// The first two are raised on <see cref="Loop"/> and in order. After a reconnect, the new server already has the
    /// SUB of each subscription. The last one is raised on a thread-pool thread. An exception is reported to
    /// <see cref="ClientOptions.OnFault"/>.
    /// </remarks>
    public event Action<BrokerConnection, ConnectionState>? StateChanged
    {
        add => Core.Events.StateChanged += value;
        remove => Core.Events.StateChanged -= value;
    }
#pragma warning restore MA0046

    /// <summary>
    /// The largest message that the server accepts, in bytes, headers included. Another server may have another limit.
    /// </summary>
    public int MaxPayload => Core.Publisher.MaxPayload;

    /// <summary>
    /// The current server as <c>host:port</c>. With a <see cref="ClientOptions.Dialer"/>, it is the name that the
    /// server has sent in its INFO. Null if no server is connected.
    /// </summary>
    public string? Server => Core.Link is not { } link ? null : Core.Options.Dialer is null ? link.Address.ToString() : link.Info.ServerName ?? "";

    /// <summary>The name and version that the current server has sent. Null if no server is connected.</summary>
    public (string? Name, string? Version)? ServerIdentity => Core.Link is { } link ? (link.Info.ServerName, link.Info.Version) : null;

    /// <summary>
    /// The data that the current server has sent about itself and this connection: its id, cluster and JetStream, the
    /// client's number and address. Null if no server is connected. Each call creates a new object.
    /// </summary>
    public ServerInfo? ServerInfo => Core.Link is { } link ? new ServerInfo(link.Info) : null;

    /// <summary>
    /// The TLS parameters of the current connection. Null without TLS, and if no server is connected.
    /// </summary>
    public TlsDescription? TlsDescription => Core.Link?.Transport.TlsDescription;

    internal ConnectionCore Core { get; }

    /// <summary>Connects to the first server that replies, with default options.</summary>
    /// <param name="servers">One or more addresses as in <see cref="ClientOptions.Servers"/>, separated by
    /// commas.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Cancels the attempt to connect. It has no effect on the connection after
    /// that.</param>
    /// <example>
    /// <code>
    /// await using BrokerConnection nats = await BrokerConnection.ConnectAsync("nats://127.0.0.1:4222");
    /// nats.Publish("weather.oslo", "4 degrees");
    /// </code>
    /// </example>
    public static Task<BrokerConnection> ConnectAsync(string servers, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(servers);
        return ConnectAsync(new ClientOptions { Servers = servers.Split(',') }, cancellationToken);
    }

    /// <summary>Connects to the server that a dialer reaches, with default options.</summary>
    /// <param name="dialer">The dialer for <see cref="ClientOptions.Dialer"/>. An embedded server returns it from
    /// <c>server.CreateDialer()</c>.</param>
    /// <inheritdoc cref="ConnectAsync(ClientOptions, CancellationToken)"/>
    /// <param name="cancellationToken">Cancels the attempt to connect. It has no effect on the connection after
    /// that.</param>
    public static Task<BrokerConnection> ConnectAsync(IDialer dialer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(dialer);
        return ConnectAsync(new ClientOptions { Dialer = dialer }, cancellationToken);
    }

    /// <summary>Connects to the first server that replies.</summary>
    /// <param name="options">The options. Null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the attempt to connect. It has no effect on the connection after
    /// that.</param>
    /// <exception cref="AuthorizationException">The last server that was tried does not accept the
    /// credentials.</exception>
    /// <exception cref="ServerErrorException">The last server refused the connection for another reason.</exception>
    /// <exception cref="ProtocolViolationException">The last server does not follow the NATS protocol.</exception>
    /// <exception cref="TlsException">The last server does not offer the TLS that is required, or one side rejects the
    /// other's certificate.</exception>
    /// <exception cref="ConnectionLostException">The last server could not be reached, or it closed the
    /// connection.</exception>
    /// <exception cref="TimeoutException">The last server did not answer within
    /// <see cref="ClientOptions.ConnectTimeout"/>.</exception>
    /// <exception cref="FormatException">An address is malformed.</exception>
    /// <exception cref="ArgumentException">Another option is out of range.</exception>
    /// <example>
    /// <code>
    /// await using BrokerConnection nats = await BrokerConnection.ConnectAsync(new ClientOptions
    /// {
    ///     Servers = ["nats://one.example", "nats://two.example"],
    ///     Name = "weather station",
    ///     OnDisconnected = (connection, cause) => Console.WriteLine(cause.Message),
    /// });
    /// </code>
    /// </example>
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

    /// <summary>
    /// Returns a connection at once and connects in the background, as after a loss. Messages that are published before
    /// a server answers are buffered, and requests wait for their timeout.
    /// </summary>
    /// <remarks>
    /// This form suits code that cannot await, such as a constructor. <see cref="ClientOptions.FirstConnect"/> does not
    /// apply. <see cref="ClientOptions.OnReconnected"/> reports the first server.
    /// </remarks>
    /// <param name="options">The options. Null for the defaults.</param>
    /// <exception cref="FormatException">An address is malformed.</exception>
    /// <exception cref="ArgumentException">Another option is out of range.</exception>
    /// <example>
    /// <code>
    /// BrokerConnection nats = BrokerConnection.ConnectInBackground(new ClientOptions { Servers = ["nats://127.0.0.1:4222"] });
    /// nats.Publish("weather.oslo", "4 degrees");
    /// </code>
    /// </example>
    public static BrokerConnection ConnectInBackground(ClientOptions? options = null)
    {
        options ??= new ClientOptions();
        ClientOptions.Validate(options);
        var connection = new BrokerConnection(ClientLog.Attach(options));
        connection.Core.Connector.ConnectInBackground();
        return connection;
    }

    /// <summary>Creates a unique subject for replies.</summary>
    /// <param name="prefix">The first tokens of the subject, like <see cref="ClientOptions.InboxPrefix"/>. A server may
    /// permit each user only the user's own prefix.</param>
    /// <exception cref="ArgumentException">The prefix is not a valid subject, has wildcards, or has more than 256
    /// characters.</exception>
    public static string NewInbox(string prefix = ClientOptions.DefaultInboxPrefix)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        return ClientOptions.IsInboxPrefix(prefix)
            ? Requester.NewInbox(prefix)
            : throw new ArgumentException("The prefix of an inbox must be a subject without wildcards and with at most 256 characters.", nameof(prefix));
    }

    /// <summary>Publishes a message without checks. This overload is for programs that forward messages.</summary>
    /// <param name="subject">
    /// The subject. This method does <b>not check</b> <paramref name="subject"/> and <paramref name="replyTo"/>. A
    /// space, a tab or a line end in a subject ends the subject early, and the server reads the rest as other arguments
    /// or as commands. Check subjects from outside the program with <see cref="Broker.Protocol.Subject"/>, or use the
    /// overload with strings. The server silently drops a message if its subject has an empty token.
    /// </param>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="replyTo">The subject for replies. Empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line. Empty for none.</param>
    /// <returns>Whether the message was accepted, and otherwise why not. The method neither throws nor waits.</returns>
    public PublishStatus PublishWithStatus(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo = default, ReadOnlySpan<byte> headers = default)
        => Core.Publisher.PublishWithStatus(subject, body, replyTo, headers);

    /// <summary>
    /// Publishes like
    /// <see cref="PublishWithStatus(ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>
    /// if a server is connected. Otherwise the message is refused, whatever
    /// <see cref="ClientOptions.WhileDisconnected"/> says. This overload is for programs that keep messages for the
    /// next server themselves. If several threads call it one after the other, their messages arrive in the order of
    /// the calls, those of event loops included. On an event loop, these messages have no defined order relative to
    /// those of the other methods.
    /// </summary>
    /// <param name="subject">The subject, which is not checked.</param>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="replyTo">The subject for replies. Empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line. Empty for none.</param>
    /// <returns>Whether the message was accepted, and otherwise why not: <see cref="PublishStatus.NotConnected"/> if no
    /// server is connected. The method neither throws nor waits.</returns>
    public PublishStatus PublishIfConnected(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, ReadOnlySpan<byte> replyTo = default, ReadOnlySpan<byte> headers = default)
        => Core.Publisher.PublishWithStatus(subject, body, replyTo, headers, SendMode.OnlyConnected);

    /// <summary>
    /// Publishes a message that <paramref name="writer"/> writes directly into the outbound buffer, without another
    /// copy. This method does <b>not check</b> the subjects, like the overload with spans.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="replyTo">The subject for replies. Empty if no reply is expected.</param>
    /// <param name="headerLength">The length of the header block, which comes first. -1 for a message without
    /// headers.</param>
    /// <param name="payloadLength">The length of header block and body together.</param>
    /// <param name="writer">Writes exactly <paramref name="payloadLength"/> bytes. It is called at most once, before
    /// the method returns.</param>
    /// <returns>Whether the message was accepted, and otherwise why not.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="headerLength"/> and
    /// <paramref name="payloadLength"/> contradict each other.</exception>
    public PublishStatus PublishWithStatus<TWriter>(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, int payloadLength, ref TWriter writer)
        where TWriter : struct, IPayloadWriter, allows ref struct
        => Core.Publisher.PublishWithStatus(subject, replyTo, headerLength, payloadLength, ref writer);

    /// <summary>
    /// Publishes like <see cref="Publish(string, ReadOnlySpan{byte}, string?, ReadOnlySpan{byte})"/>, but returns a
    /// status instead of throwing if the message is refused.
    /// </summary>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are not a header block.</exception>
    public PublishStatus PublishWithStatus(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.PublishWithStatus(subject, body, replyTo, headers);

    /// <summary>Publishes a message and checks its subjects.</summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="replyTo">The subject for replies. Null or empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, from <c>NATS/1.0</c> to its empty line. Empty for none.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are not a header block.</exception>
    /// <exception cref="PublishRefusedException">The message was refused. <see cref="PublishStatus.Dropped"/> does not
    /// throw.</exception>
    /// <example>
    /// <code>
    /// nats.Publish("weather.oslo", "4 degrees"u8, headers: new MessageHeaders { ["Source"] = "window" });
    /// </code>
    /// </example>
    public void Publish(string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.Publish(subject, body, replyTo, headers);

    /// <summary>
    /// Publishes like <see cref="Publish(string, ReadOnlySpan{byte}, string?, ReadOnlySpan{byte})"/>, but waits for
    /// space if <see cref="ClientOptions.MaxPendingBytes"/> or <see cref="ClientOptions.ReconnectBufferSize"/> is
    /// reached. If no server is connected, the method waits only while the buffer of
    /// <see cref="PublishWhileDisconnected.Buffer"/> is full. If a caller awaits each call, its messages arrive in
    /// order. Do not await the method on <see cref="Loop"/>: the loop would wait for itself.
    /// </summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It must not change before the task has completed.</param>
    /// <param name="replyTo">The subject for replies. Null or empty if no reply is expected.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the wait. The message is then not sent.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are not a header block.</exception>
    /// <exception cref="PublishRefusedException">The message was refused, and waiting would not help.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.TracedSends is { } traced
            ? traced.PublishAsync(subject, body, replyTo, headers, cancellationToken)
            : Core.Publisher.PublishAsync(subject, body, replyTo, headers, cancellationToken);

    /// <summary>
    /// Subscribes to a subject. The SUB is queued when the method returns. If no server is connected, the next server
    /// receives the SUB before any published message.
    /// </summary>
    /// <param name="filter">The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or
    /// more tokens.</param>
    /// <param name="handler">Called for each message, on <see cref="Loop"/>.</param>
    /// <param name="queue">The queue group: each message goes to one of its members. Null for none.</param>
    /// <param name="state">An object for the handler: <see cref="Subscription.State"/>.</param>
    /// <exception cref="ArgumentException">The filter or the name of the queue group is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <example>
    /// <code>
    /// long bytes = 0;
    /// nats.Subscribe("weather.>", (in message) => bytes += message.Body.Length);
    /// </code>
    /// </example>
    public Subscription Subscribe(string filter, MessageHandler handler, string? queue = null, object? state = null)
        => Core.Subscriber.Subscribe(filter, Core.Tracer is { } tracer ? tracer.Wrap(handler) : handler, queue, state);

    /// <summary>
    /// Subscribes to a subject, with a message queue between the connection and the reader. If the server refuses the
    /// subscription, the reader gets a <see cref="ServerErrorException"/>. If the connection gives up reconnecting, the
    /// reader gets a <see cref="ConnectionLostException"/>.
    /// </summary>
    /// <param name="filter">The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or
    /// more tokens.</param>
    /// <param name="options">The limits of the queue, and the policy for a full queue. Null for the defaults.</param>
    /// <param name="queue">The queue group: each message goes to one of its members. Null for none.</param>
    /// <exception cref="ArgumentException">The filter, the name of the queue group or an option is not
    /// valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or is being drained.</exception>
    /// <example>
    /// <code>
    /// await using QueuedSubscription weather = nats.SubscribeQueued("weather.>");
    /// Message first = await weather.Reader.ReadAsync();
    /// Console.WriteLine($"{first.Subject}: {first.Text}");
    /// </code>
    /// </example>
    public QueuedSubscription SubscribeQueued(string filter, QueueOptions? options = null, string? queue = null)
        => Core.Subscriber.SubscribeQueued(filter, options, queue);

    /// <summary>
    /// Subscribes and reads: <c>await foreach (Message message in connection.ReadAsync("orders.>"))</c>. The
    /// subscription starts when the enumeration starts. It ends when the enumeration is left, when the token is
    /// cancelled, or when the connection closes. After the cancellation the enumeration returns the queued messages,
    /// and then it throws.
    /// </summary>
    /// <inheritdoc cref="SubscribeQueued"/>
    /// <param name="filter">The subject. <c>*</c> matches one token, and <c>&gt;</c> as the last token matches one or
    /// more tokens.</param>
    /// <param name="options">The limits of the queue, and the policy for a full queue. Null for the defaults.</param>
    /// <param name="queue">The queue group: each message goes to one of its members. Null for none.</param>
    /// <param name="cancellationToken">Unsubscribes. The enumeration returns the queued messages, and then it throws an
    /// <see cref="OperationCanceledException"/>.</param>
    /// <example>
    /// <code>
    /// await foreach (Message message in nats.ReadAsync("weather.>"))
    /// {
    ///     Console.WriteLine($"{message.Subject}: {message.Text}");
    /// }
    /// </code>
    /// </example>
    public async IAsyncEnumerable<Message> ReadAsync(
        string filter, QueueOptions? options = null, string? queue = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        QueuedSubscription subscription = SubscribeQueued(filter, options, queue);
        await using (subscription.ConfigureAwait(false))
        {
            // The reader checks its token only when the queue is empty, and under load the queue may never be empty. So
            // the token is also observed here.
            using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
                static (state, token) => ((QueuedSubscription)state!).Cancel(token), subscription);
            await foreach (Message message in subscription.ReadAllAsync(CancellationToken.None).ConfigureAwait(false))
            {
                yield return message;
            }
        }
    }

    /// <summary>
    /// Sends a PING and calls back when its PONG arrives. The server has then processed everything that the calling
    /// thread sent before. If the thread subscribed before, the subscription receives every message that is published
    /// after the PONG.
    /// </summary>
    /// <param name="callback">
    /// Called once and never inside this call: on <see cref="Loop"/>, or on a thread-pool thread if the connection is
    /// closed.
    /// </param>
    /// <param name="state">An object for the callback.</param>
    /// <exception cref="InvalidOperationException">65,536 barriers are unanswered already.</exception>
    public void Barrier(BarrierCallback callback, object? state = null) => Core.Barriers.Add(callback, state);

    /// <summary>Waits until the server has processed everything that the calling thread sent before.</summary>
    /// <returns>The time until the server answered.</returns>
    /// <exception cref="ConnectionLostException">No server is connected, or the server was lost before it
    /// answered.</exception>
    /// <example>
    /// <code>
    /// TimeSpan roundTrip = await nats.PingAsync();
    /// </code>
    /// </example>
    public Task<TimeSpan> PingAsync(CancellationToken cancellationToken = default) => Core.Barriers.PingAsync(cancellationToken);

    /// <summary>
    /// Waits until the server has processed everything that any thread or event loop published before the call.
    /// </summary>
    /// <exception cref="ConnectionLostException">No server is connected, or the server was lost before it
    /// answered.</exception>
    /// <example>
    /// <code>
    /// nats.Publish("weather.oslo", "4 degrees");
    /// await nats.FlushAsync(); // the server has the message
    /// </code>
    /// </example>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Core.Barriers.FlushAsync(cancellationToken);

    /// <summary>
    /// Leaves the current server and connects again, with the next server of <see cref="ClientOptions.Servers"/>: after
    /// a change of credentials or certificates, or to spread the clients of a cluster. The method first waits until the
    /// server has processed what was published before, for at most <see cref="ClientOptions.ConnectTimeout"/>. To the
    /// callbacks and to pending requests it is a loss like any other. If no server is connected, the method waits for
    /// the next one.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait. The connection reconnects nevertheless.</param>
    /// <returns>A task that completes when a server is connected again.</returns>
    /// <exception cref="ConnectionLostException">The connection is closed, or has given up reconnecting.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <example>
    /// <code>
    /// await nats.ReconnectAsync();
    /// Console.WriteLine(nats.ServerInfo?.Name);
    /// </code>
    /// </example>
    public Task ReconnectAsync(CancellationToken cancellationToken = default) => Core.Lifecycle.ReconnectAsync(cancellationToken);

    /// <summary>Returns the counters of this connection.</summary>
    public ClientStatistics GetStatistics() => Core.GetStatistics();

    /// <summary>
    /// Ends all subscriptions without loss and leaves the connection open. The method waits until messages on their way
    /// have been handled and queued messages have been read. It does not wait for a reader that takes no message for a
    /// second. Such a reader can still read its queued messages later. Afterwards the application can subscribe,
    /// publish and send requests as before.
    /// </summary>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled. The
    /// subscriptions have ended nevertheless.</exception>
    public Task DrainSubscriptionsAsync(CancellationToken cancellationToken = default) => Core.Lifecycle.DrainSubscriptionsAsync(cancellationToken);

    /// <summary>
    /// Closes without loss. This ends all subscriptions, waits until the messages on their way are handled and queued
    /// messages are read, sends what the handlers and readers published, and then closes. If messages wait for a server
    /// while none is connected, the method waits for the reconnect. If several readers share a queue, the reply of the
    /// last reader may come too late to be sent. If an <see cref="EncodedConnection"/> calls a handler that drains, the
    /// drain does not wait for this handler. The connection closes without further waiting after
    /// <see cref="ClientOptions.DrainTimeout"/>, or when <paramref name="cancellationToken"/> is cancelled.
    /// </summary>
    /// <exception cref="ConnectionLostException">Accepted messages were not sent.
    /// <see cref="ConnectionLostException.LostMessages"/> is their number. The connection is closed
    /// nevertheless.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled. The connection
    /// is closed nevertheless.</exception>
    /// <example>
    /// <code>
    /// nats.Subscribe("jobs", job => Console.WriteLine(job.Text));
    /// await nats.DrainAsync(); // all jobs that have arrived are done, and the connection is closed
    /// </code>
    /// </example>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Core.Lifecycle.DrainAsync(cancellationToken);

    /// <summary>
    /// Stops accepting messages, sends the queued bytes (for at most <see cref="ClientOptions.DrainTimeout"/>) and
    /// closes. Messages that were buffered for a next server are counted as dropped. The method may be called several
    /// times and from any thread. Do not wait for its task on an event loop.
    /// </summary>
    public Task CloseAsync() => Core.Lifecycle.EndAsync(quietly: false);

    /// <summary>Does the same as <see cref="CloseAsync"/>.</summary>
    public ValueTask DisposeAsync() => new(CloseAsync());

    /// <summary>Publishes a reply, with a span if spans are enabled.</summary>
    internal void Respond(ReadOnlySpan<byte> replyTo, OutboundBody body, ReadOnlySpan<byte> headers)
        => Core.Respond(replyTo, body, headers);

    /// <summary>Starts a span for the processing of a message. Returns null if there is nobody to receive it.</summary>
    internal Activity? StartProcess(in Message message) => Core.StartProcess(in message);
}
