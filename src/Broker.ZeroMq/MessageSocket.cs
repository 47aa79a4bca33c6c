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
/// program that processes messages on the loop itself, without queues and threads, uses the loop sockets
/// (<see cref="LoopSocket"/>) instead.
/// </remarks>
public abstract partial class MessageSocket : IDisposable, IAsyncDisposable
{
    private readonly bool _ownsContext;
    private LoopSocket _socket = null!;
    private ReceiveQueue? _inbound;
    private SendQueue? _outbound;
    private volatile string? _lastEndpoint;
    private bool _checksBeforeSending;
    private Action? _roomCallback;

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
    /// The endpoint of the last bind or connect, with the port that the system chose; null if there was none.
    /// </summary>
    public string? LastEndpoint => _lastEndpoint;

    /// <summary>The number of connections, including connections that are still in their handshake.</summary>
    public int ConnectionCount => _socket.ConnectionCount;

    /// <summary>Whether the socket has been closed.</summary>
    public bool IsClosed => _closed is not null;

    internal EventLoop Loop { get; }

    /// <summary>The loop socket that does the work.</summary>
    internal LoopSocket LoopSocket => _socket;

    /// <summary>Whether a message would be accepted now. Only for sockets that send.</summary>
    internal bool MaySend => _outbound!.HasRoom;

    /// <summary>Whether a message is available now. Only for sockets that receive.</summary>
    internal bool MayReceive => _inbound!.HasMessages;

    /// <summary>The memory of received messages in bytes. Only for sockets that receive.</summary>
    internal long BufferedBytes => _inbound!.BufferedBytes;

    /// <summary>
    /// The number of peers that the socket does not read from until messages have been received. Only for sockets that
    /// receive.
    /// </summary>
    internal int PausedPeers => _inbound!.PausedSources;

    /// <summary>Whether the socket must send and receive in alternation: REQ and REP.</summary>
    internal bool IsAlternating => Order is not null;

    /// <summary>The order of sends and receives. Null except for REQ and REP.</summary>
    private protected RequestReplyOrder? Order
    {
        get;
        init
        {
            field = value;
            _checksBeforeSending = true;
        }
    }

    /// <summary>
    /// Called after a request was sent that may have superseded another one. Only a relaxed REQ sets it.
    /// </summary>
    private protected Action? Superseded { get; init; }

    /// <summary>
    /// Whether a peer exists for a message with this first frame. Only a mandatory ROUTER sets it. Called on any
    /// thread.
    /// </summary>
    private protected RouteFinder? Routes
    {
        get;
        init
        {
            field = value;
            _checksBeforeSending = true;
        }
    }

    private protected delegate bool RouteFinder(ReadOnlySpan<byte> firstFrame);

    private protected bool CanSend => _outbound!.HasRoom;

    private protected bool CanReceive => _inbound!.HasMessages;

    /// <summary>
    /// Accepts peers at an endpoint, such as <c>tcp://*:5555</c>, <c>tcp://127.0.0.1:*</c> or
    /// <c>ipc:///run/app.sock</c>.
    /// </summary>
    /// <param name="endpoint">The endpoint to bind.</param>
    /// <param name="allowedAddresses">
    /// The networks that may connect to this endpoint; null for those of the options.
    /// </param>
    /// <returns>The endpoint that was bound, with the port that the system chose.</returns>
    /// <exception cref="FormatException">The text is not an endpoint.</exception>
    /// <exception cref="ZeroMqBindException">
    /// The endpoint cannot be bound; the message contains the reason.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public string Bind(string endpoint, IReadOnlyList<IPNetwork>? allowedAddresses = null) =>
        _lastEndpoint = _socket.Bind(endpoint, allowedAddresses).ToString();

    /// <summary>
    /// Stops accepting at an endpoint. Accepts the text that <see cref="Bind"/> was given or that it returned. Peers
    /// stay connected.
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
        _lastEndpoint = endpoint;
        if (_outbound is not null)
        {
            WaitForLoop();
        }
    }

    /// <summary>
    /// Closes the connection of a <see cref="Connect"/> call. Messages that are queued for the peer are sent for up to
    /// the linger time of the options.
    /// </summary>
    /// <returns>False if the socket is not connected to that endpoint.</returns>
    public bool Disconnect(string endpoint) => _socket.Disconnect(endpoint, Options.Linger);

    /// <summary>
    /// The counters of the socket since it was created. May be called on any thread; it iterates over the peers.
    /// </summary>
    public virtual ZeroMqCounts GetCounts() => _socket.GetCounts();

    /// <summary>Drops the received messages that no caller has taken.</summary>
    private protected void DropReceived()
    {
        var dropper = default(DiscardingReader);
        while (_inbound!.HasMessages && _inbound.TryTake(ref dropper) == DequeueResult.Taken)
        {
        }
    }

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

    /// <summary>
    /// Registers a callback for new messages, which is called on any thread. Returns false if another one is
    /// registered.
    /// </summary>
    internal bool TryWatch(Action added) => _inbound!.TryWatch(added);

    internal void Unwatch() => _inbound!.Unwatch();

    /// <summary>
    /// Registers a callback for room, which is called on any thread. Returns false if another one is registered.
    /// </summary>
    internal bool TryWatchRoom(Action gotRoom)
    {
        if (Interlocked.CompareExchange(ref _roomCallback, gotRoom, null) is not null)
        {
            return false;
        }

        _outbound!.OnRoom = gotRoom;
        return true;
    }

    internal void UnwatchRoom()
    {
        _outbound!.OnRoom = null;
        Volatile.Write(ref _roomCallback, null);
    }

    internal ReceiveQueue CreateInbound() =>
        _inbound = new ReceiveQueue(Context.Chunks, Options.ReceiveHighWaterMark, Options.ReceiveHighWaterBytes, Options.Conflate)
        {
            Clock = Context.Clock,
        };

    internal SendQueue CreateOutbound(IBatchSender sender, bool isOpen, Lock? gate = null, bool isPrompt = false) =>
        _outbound = new SendQueue(Context.Chunks, Loop, sender, Options.SendHighWaterMark, Options.SendHighWaterBytes, isOpen)
        {
            Gate = gate,
            IsPrompt = isPrompt,
            Attempts = Options.Attempts,
            Clock = Context.Clock,
        };

    /// <summary>Sends by a loop socket that gives each message to one of its peers.</summary>
    private protected void SendThrough(DistributingSocket socket)
    {
        // Conflation needs to know what has been sent already, and only the loop can tell that.
        socket.IsShared = !Options.Conflate;
        var outbound = CreateOutbound(new DistributingSender(socket), isOpen: false, socket.IsShared ? socket.PipeGate : null);
        socket.OnWritable = outbound.Resume;
        socket.OnUnwritable = outbound.Pause;
    }

    /// <summary>XPUB and XSUB do not support conflation, because their messages are subscriptions too.</summary>
    private protected void RefuseConflation()
    {
        if (Options.Conflate)
        {
            throw new ArgumentException("Conflation is for PUSH, PULL, DEALER, PUB and SUB.", "options");
        }
    }

    /// <summary>Completes the construction. Must be the last step of a constructor.</summary>
    private protected void Attach(LoopSocket socket)
    {
        _socket = socket;
        if (!_ownsContext)
        {
            // A context of its own contains no other socket to connect to.
            socket.Inproc ??= Context.Inproc;
        }

        Context.Add(this);
    }
}
