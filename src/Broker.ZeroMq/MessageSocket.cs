using System.Net;
using Broker.Transport;
using Broker.ZeroMq.Queues;
using Broker.ZeroMq.Receivers;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq;

/// <summary>
/// A ZeroMQ socket for ordinary code: any thread may call anything at any time. <see cref="Sending"/> and
/// <see cref="Receiving"/> hold what it does with messages.
/// </summary>
/// <remarks>
/// Its peers are served by an event loop of its context; between that and the calling threads there is a queue each way. A program
/// that wants messages on the loop itself, without queues and threads, uses the loop sockets below.
/// </remarks>
public abstract partial class MessageSocket : IDisposable, IAsyncDisposable
{
    private readonly bool _ownsContext;
    private LoopSocket _socket = null!;
    private ReceiveQueue? _inbound;
    private SendQueue? _outbound;
    private volatile string? _lastEndpoint;
    private bool _looksBeforeSending;
    private Action? _gotRoom;

    private protected MessageSocket(ZeroMqSocketOptions? options, ZeroMqContext? context)
    {
        Options = options ?? new ZeroMqSocketOptions();
        Options.Validate();
        _ownsContext = context is null;
        Context = context ?? new ZeroMqContext();
        Loop = Context.Loops.Next();
    }

    /// <summary>How it was set up.</summary>
    public ZeroMqSocketOptions Options { get; }

    /// <summary>The context it belongs to.</summary>
    public ZeroMqContext Context { get; }

    /// <summary>The endpoint that was bound or connected last, with the port that the system chose; null before that.</summary>
    public string? LastEndpoint => _lastEndpoint;

    /// <summary>Connections now, those in their handshake included.</summary>
    public int ConnectionCount => _socket.ConnectionCount;

    /// <summary>Whether it has been closed.</summary>
    public bool IsClosed => _closed is not null;

    internal EventLoop Loop { get; }

    /// <summary>What does the work.</summary>
    internal LoopSocket LoopSocket => _socket;

    /// <summary>Whether a message would be taken. For sockets that send.</summary>
    internal bool MaySend => _outbound!.HasRoom;

    /// <summary>Whether there is a message. For sockets that receive.</summary>
    internal bool MayReceive => _inbound!.HasMessages;

    /// <summary>The memory that received messages take. For sockets that receive.</summary>
    internal long HeldBytes => _inbound!.HeldBytes;

    /// <summary>Peers that are held up by what was not received. For sockets that receive.</summary>
    internal int PausedPeers => _inbound!.PausedSources;

    /// <summary>Whether it sends and receives in turn only: REQ and REP.</summary>
    internal bool TakesTurns => Turns is not null;

    /// <summary>REQ and REP have it.</summary>
    private protected TurnTaking? Turns
    {
        get;
        init
        {
            field = value;
            _looksBeforeSending = true;
        }
    }

    /// <summary>Told when a request was sent that may have given another one up. A relaxed REQ has it.</summary>
    private protected Action? Superseded { get; init; }

    /// <summary>Whether there is a peer for a message with this first frame. A mandatory ROUTER has it. Any thread.</summary>
    private protected RouteFinder? Routes
    {
        get;
        init
        {
            field = value;
            _looksBeforeSending = true;
        }
    }

    private protected delegate bool RouteFinder(ReadOnlySpan<byte> firstFrame);

    private protected bool CanSend => _outbound!.HasRoom;

    private protected bool CanReceive => _inbound!.HasMessages;

    /// <summary>Accepts peers at an endpoint, such as <c>tcp://*:5555</c>, <c>tcp://127.0.0.1:*</c> or <c>ipc:///run/app.sock</c>.</summary>
    /// <param name="endpoint">Where.</param>
    /// <param name="allowedAddresses">Who may connect here; null for what the options say of all endpoints.</param>
    /// <returns>The endpoint that is really bound, with the port the system chose.</returns>
    /// <exception cref="FormatException">Not an endpoint.</exception>
    /// <exception cref="Endpoints.ZeroMqBindException">The endpoint cannot be had; the message says why.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public string Bind(string endpoint, IReadOnlyList<IPNetwork>? allowedAddresses = null) =>
        _lastEndpoint = _socket.Bind(endpoint, allowedAddresses).ToString();

    /// <summary>Stops accepting at an endpoint, given as to <see cref="Bind"/> or as that returned it. Peers stay connected.</summary>
    /// <returns>False when it is not bound.</returns>
    public bool Unbind(string endpoint) => _socket.Unbind(endpoint);

    /// <summary>Connects to an endpoint, again and again whenever the connection is lost or refused. Returns at once.</summary>
    /// <exception cref="FormatException">Not an endpoint, or one with a wildcard.</exception>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public void Connect(string endpoint)
    {
        _socket.Connect(endpoint);
        _lastEndpoint = endpoint;
        if (_outbound is not null)
        {
            PassLoop();
        }
    }

    /// <summary>Ends a connection made by <see cref="Connect"/>; what is queued for the peer is sent for up to the options' linger.</summary>
    /// <returns>False when it is not connected to that endpoint.</returns>
    public bool Disconnect(string endpoint) => _socket.Disconnect(endpoint, Options.Linger);

    /// <summary>What it has counted since it was made. Any thread; it walks over the peers.</summary>
    public virtual ZeroMqCounts GetCounts() => _socket.GetCounts();

    /// <summary>Forgets what was received and not taken.</summary>
    private protected void DropReceived()
    {
        var dropper = default(Dropper);
        while (_inbound!.HasMessages && _inbound.TryTake(ref dropper) == TakeOutcome.Taken)
        {
        }
    }

    // From the return on there is room for what is sent to the endpoint: it has a queue, which the loop has to know of.
    private void PassLoop()
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

    /// <summary>Lets somebody be told of messages, any thread; one at a time.</summary>
    internal bool TryWatch(Action added) => _inbound!.TryWatch(added);

    internal void Unwatch() => _inbound!.Unwatch();

    /// <summary>Lets somebody be told of room, any thread; one at a time.</summary>
    internal bool TryWatchRoom(Action gotRoom)
    {
        if (Interlocked.CompareExchange(ref _gotRoom, gotRoom, null) is not null)
        {
            return false;
        }

        _outbound!.GotRoom = gotRoom;
        return true;
    }

    internal void UnwatchRoom()
    {
        _outbound!.GotRoom = null;
        Volatile.Write(ref _gotRoom, null);
    }

    internal ReceiveQueue MakeInbound() =>
        _inbound = new ReceiveQueue(Context.Chunks, Options.ReceiveHighWaterMark, Options.ReceiveHighWaterBytes, Options.Conflate)
        {
            Clock = Context.Clock,
        };

    internal SendQueue MakeOutbound(IBatchSender sender, bool isOpen, Lock? gate = null, bool isPrompt = false) =>
        _outbound = new SendQueue(Context.Chunks, Loop, sender, Options.SendHighWaterMark, Options.SendHighWaterBytes, isOpen)
        {
            Gate = gate,
            IsPrompt = isPrompt,
            Attempts = Options.Attempts,
            Clock = Context.Clock,
        };

    /// <summary>A socket that gives each message to one of its peers sends by it.</summary>
    private protected void SendBy(DistributingSocket socket)
    {
        // What has left already, on which conflation turns, is asked on the loop.
        socket.IsShared = !Options.Conflate;
        var outbound = MakeOutbound(new RingSender(socket), isOpen: false, socket.IsShared ? socket.PipeGate : null);
        socket.OnWritable = outbound.Resume;
        socket.OnUnwritable = outbound.HoldUp;
    }

    /// <summary>XPUB and XSUB, whose messages are about subscriptions too, do not conflate.</summary>
    private protected void RefuseConflation()
    {
        if (Options.Conflate)
        {
            throw new ArgumentException("Conflation is for PUSH, PULL, DEALER, PUB and SUB.", "options");
        }
    }

    /// <summary>The last step of a constructor.</summary>
    private protected void Serve(LoopSocket socket)
    {
        _socket = socket;
        if (!_ownsContext)
        {
            // One of its own has nobody else in it.
            socket.Inproc ??= Context.Inproc;
        }

        Context.Add(this);
    }
}
