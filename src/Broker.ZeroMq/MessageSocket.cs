using System.Diagnostics.CodeAnalysis;
using System.Net;
using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// A ZeroMQ socket for code on any thread: every member may be called on any thread at any time. The extension methods
/// in <see cref="Sending"/> and <see cref="Receiving"/> send and receive messages.
/// </summary>
/// <remarks>
/// An event loop of the context serves the peers. A queue in each direction connects the loop to the calling threads. A
/// program that processes messages on the event loop itself, without these queues, uses the loop sockets
/// (<see cref="LoopSocket"/>) instead.
/// </remarks>
public abstract partial class MessageSocket : IDisposable, IAsyncDisposable
{
    private readonly bool _ownsContext;
    private LoopSocket _socket = null!;
    private MessageReceiver? _receiver;
    private MessageSender? _sender;
    private volatile string? _lastEndpoint;

    private protected MessageSocket(ZeroMqSocketOptions? options, ZeroMqContext? context)
    {
        Options = options ?? new ZeroMqSocketOptions();
        Options.Validate();
        _ownsContext = context is null;
        Context = context ?? new ZeroMqContext();
        Loop = Context.Loops.Next();
    }

    /// <summary>The options that the socket was created with.</summary>
    public ZeroMqSocketOptions Options { get; }

    /// <summary>The context that the socket belongs to.</summary>
    public ZeroMqContext Context { get; }

    /// <summary>
    /// The endpoint of the last <see cref="Bind"/> or <see cref="Connect"/> call; null before the first call. After a
    /// bind to a free port, the endpoint contains the port that the system chose.
    /// </summary>
    public string? LastEndpoint => _lastEndpoint;

    /// <summary>The number of connections, including connections that are still in their handshake.</summary>
    public int ConnectionCount => _socket.ConnectionCount;

    /// <summary>Whether the socket has been closed.</summary>
    public bool IsClosed => _closed is not null;

    internal EventLoop Loop { get; }

    /// <summary>The loop socket that does the work.</summary>
    internal LoopSocket LoopSocket => _socket;

    /// <summary>The sending half. Only sockets that send have one.</summary>
    internal MessageSender Sender => _sender!;

    /// <summary>The receiving half. Only sockets that receive have one.</summary>
    internal MessageReceiver Receiver => _receiver!;

    /// <summary>Whether the socket must alternate between sending and receiving, as REQ and REP sockets must.</summary>
    internal bool IsAlternating => Order is not null;

    /// <summary>
    /// The order of sends and receives that a REQ or REP socket must keep. These sockets set it before they create
    /// their queues. Null for all other sockets.
    /// </summary>
    private protected RequestReplyOrder? Order { get; init; }

    /// <summary>Whether sockets of this type have a disconnect message. Set before <see cref="Attach"/>.</summary>
    private protected bool MayHaveDisconnectMessage { get; set; }

    /// <summary>
    /// Accepts peers at an endpoint, such as <c>tcp://*:5555</c>, <c>tcp://127.0.0.1:*</c> or
    /// <c>ipc:///run/app.sock</c>.
    /// </summary>
    /// <param name="endpoint">The endpoint to bind.</param>
    /// <param name="allowedAddresses">
    /// The networks that may connect to this endpoint; null for the networks in the socket's options.
    /// </param>
    /// <returns>The endpoint that was bound, with the port that the system chose.</returns>
    /// <exception cref="FormatException">The text is not an endpoint.</exception>
    /// <exception cref="ZeroMqBindException">
    /// The endpoint cannot be bound; the message contains the reason.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public string Bind(string endpoint, IReadOnlyList<IPNetwork>? allowedAddresses = null)
        => _lastEndpoint = _socket.Bind(endpoint, allowedAddresses).ToString();

    /// <summary>
    /// Stops accepting at an endpoint. The text may be the argument of the <see cref="Bind"/> call or its result.
    /// Connected peers stay connected.
    /// </summary>
    /// <returns>False if the endpoint is not bound.</returns>
    public bool Unbind(string endpoint) => _socket.Unbind(endpoint);

    /// <summary>
    /// Connects to an endpoint, and reconnects after the connection is lost or refused. Returns at once.
    /// </summary>
    /// <exception cref="FormatException">The text is not an endpoint, or it contains a wildcard.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public void Connect(string endpoint)
    {
        _socket.Connect(endpoint);
        OnConnectCalled(endpoint);
    }

    /// <summary>
    /// Closes the connection that a <see cref="Connect"/> call opened. Messages that are queued for the peer are sent
    /// for up to the linger time of the options.
    /// </summary>
    /// <returns>False if the socket is not connected to that endpoint.</returns>
    public bool Disconnect(string endpoint) => _socket.Disconnect(endpoint, Options.Linger);

    /// <summary>
    /// Returns the socket's counters, which count from its creation. May be called on any thread. The call iterates
    /// over the peers.
    /// </summary>
    public virtual ZeroMqCounts GetCounts() => _socket.GetCounts();

    /// <summary>Flushes the send queue, if the socket has one.</summary>
    internal void FlushSendQueue() => _sender?.Queue.FlushNow();

    private protected void OnConnectCalled(string endpoint)
    {
        _lastEndpoint = endpoint;
        if (_sender is not null)
        {
            WaitForLoop();
        }
    }

    [DoesNotReturn]
    internal void ThrowClosed() => throw new ObjectDisposedException(GetType().Name);

    // When Connect returns, the endpoint must have a queue with room for messages. The loop creates that queue, so wait
    // until the loop has run once.
    private void WaitForLoop()
    {
        if (Loop.IsCallerDriven || Loop.IsCurrent)
        {
            return;
        }

        using var passed = new ManualResetEventSlim();
        if (Loop.TryPost(passed.Set))
        {
            passed.Wait();
        }
    }

    private protected ReceiveQueue CreateReceiveQueue()
    {
        var queue = new ReceiveQueue(
            Context.Chunks, Options.ReceiveHighWaterMark, Options.ReceiveHighWaterBytes, Options.Conflate)
        {
            Clock = Context.Clock,
        };
        _receiver = new MessageReceiver(this, queue, Order);
        return queue;
    }

    /// <summary>Creates the receive queue of a socket that may have a disconnect message, and its sink.</summary>
    private protected QueueSink CreateSink()
    {
        MayHaveDisconnectMessage = true;
        return new QueueSink(CreateReceiveQueue())
        {
            DisconnectMessage = EncodedDisconnectMessage,
            IsForAcceptedPeersOnly = true,
        };
    }

    private protected byte[]? EncodedDisconnectMessage
    {
        get
        {
            if (Options.DisconnectMessage.IsEmpty)
            {
                return null;
            }

            byte[] encoded = new byte[ZmtpWriter.FrameSize(Options.DisconnectMessage.Length)];
            ZmtpWriter.WriteFrame(encoded, Options.DisconnectMessage.Span, more: false);
            return encoded;
        }
    }

    private protected SendQueue CreateSendQueue(
        IBatchSender sender, bool isOpen, Lock? gate = null, bool isPrompt = false)
    {
        var queue = new SendQueue(
            Context.Chunks, Loop, sender, Options.SendHighWaterMark, Options.SendHighWaterBytes, isOpen, gate, isPrompt)
        {
            Attempts = Options.Attempts,
            Clock = Context.Clock,
        };
        _sender = new MessageSender(this, queue, Order);
        return queue;
    }

    /// <summary>Creates the send queue of a loop socket that gives each message to one of its peers.</summary>
    private protected void SendThrough(DistributingSocket socket)
    {
        // A conflating socket must know which messages have already been sent. Only the loop knows this, so other
        // threads do not send.
        socket.IsShared = !Options.Conflate;
        SendQueue outbound = CreateSendQueue(
            new DistributingSender(socket), isOpen: false, socket.IsShared ? socket.PipeGate : null);
        socket.OnWritable = outbound.Resume;
        socket.OnUnwritable = outbound.Pause;
    }

    /// <summary>
    /// Throws if the options ask for conflation. XPUB and XSUB do not support it, because some of their messages are
    /// subscriptions, and no subscription may be replaced.
    /// </summary>
    private protected void RefuseConflation()
    {
        if (Options.Conflate)
        {
            throw new ArgumentException("Conflation is for PUSH, PULL, DEALER, PUB and SUB.", "options");
        }
    }

    private void RefuseUnusableMessages()
    {
        if (Options.HasUnusableHello(_socket.SocketType))
        {
            throw new ArgumentException("A hello message is for PUSH, DEALER, ROUTER and PAIR.", "options");
        }

        if (!Options.DisconnectMessage.IsEmpty && !MayHaveDisconnectMessage)
        {
            throw new ArgumentException("A disconnect message is for PULL, DEALER, ROUTER and PAIR.", "options");
        }
    }

    /// <summary>
    /// Creates the loop socket and completes the construction. Must be the last step of a constructor. Everything that
    /// may refuse the options runs in <paramref name="create"/>: if it throws, the caller gets no socket to dispose, so
    /// this method disposes the socket's own context.
    /// </summary>
    private protected T Attach<T>(Func<T> create)
        where T : LoopSocket
    {
        try
        {
            T socket = create();
            _socket = socket;
            RefuseUnusableMessages();
            if (!_ownsContext)
            {
                // Only a context that several sockets share has inproc endpoints to connect to.
                socket.Inproc ??= Context.Inproc;
            }

            Context.Add(this);
            return socket;
        }
        catch
        {
            if (_ownsContext)
            {
                Context.Dispose();
            }

            throw;
        }
    }
}
