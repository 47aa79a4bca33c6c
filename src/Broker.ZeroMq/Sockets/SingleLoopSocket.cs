using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// A socket with all its peers on one event loop. So the order of the peers, their identities and the state of a
/// request need no lock. To use several loops, create several sockets.
/// </summary>
/// <remarks>Call the members on <see cref="Loop"/>, except the members of <see cref="LoopSocket"/>.</remarks>
public abstract partial class SingleLoopSocket : LoopSocket
{
    private const int SmallMessage = 64;

    private volatile MessageSession[] _sessions = [];
    private bool _isPaused;
    private int _resumeCount;

    private protected SingleLoopSocket(
        EventLoop loop, ZmtpSocketType type, LoopMessageOptions options, InboundSink sink)
        : base((loop ?? throw new ArgumentNullException(nameof(loop))).Group, loop, type, options)
    {
        if (options.Conflate && type is not (ZmtpSocketType.Push or ZmtpSocketType.Pull or ZmtpSocketType.Dealer))
        {
            throw new ArgumentException("Conflation is for PUSH, PULL, DEALER, PUB and SUB.", nameof(options));
        }

        if (options.HasUnusableHello(type))
        {
            throw new ArgumentException("A hello message is for PUSH, DEALER, ROUTER and PAIR.", nameof(options));
        }

        Loop = loop;
        MessageOptions = options;
        Sink = sink;
    }

    /// <summary>The loop of all peers of this socket.</summary>
    public EventLoop Loop { get; }

    /// <summary>
    /// The peers with a completed handshake. May be read on any thread; the list may be out of date at once.
    /// </summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_sessions, session => session.Peer!);

    /// <summary>Whether <see cref="PauseReceiving"/> is in effect.</summary>
    public bool IsReceivingPaused => _isPaused;

    /// <summary>
    /// Whether other threads send on the socket's pipes too. Set it before the first endpoint is bound or connected. If
    /// true, the pipes are used only under <see cref="PipeGate"/>. If false, the pipes are used only on the loop, and
    /// the hot paths do not take the gate.
    /// </summary>
    internal bool IsShared { get; set; }

    /// <summary>
    /// Guards the pipes and their order. Code that holds the gate waits for nothing except the system call that sends.
    /// </summary>
    internal Lock PipeGate { get; } = new();

    /// <summary>
    /// Whether the loop holds <see cref="PipeGate"/> until a message that <see cref="Screen"/> accepted is in the
    /// receive queue. A sending thread that holds the gate then finds all accepted messages in the queue. The price: a
    /// receiver that wakes up may have to wait until the loop releases the gate.
    /// </summary>
    internal bool TakesUnderGate { get; set; }

    internal LoopMessageOptions MessageOptions { get; }

    internal InboundSink Sink { get; }

    internal bool HasSeveralPeers => _sessions.Length > 1;

    private protected IReadOnlyList<MessageSession> Sessions => _sessions;

    /// <summary>
    /// Reads no more bytes from any peer, including new peers, until <see cref="ResumeReceiving"/>. TCP flow control
    /// stops the peers. See <see cref="ZeroMqPeer.PauseReceiving"/> for the effects.
    /// </summary>
    /// <exception cref="InvalidOperationException">The call is not on the loop.</exception>
    public void PauseReceiving()
    {
        RequireLoop();
        _isPaused = true;
        foreach (MessageSession session in _sessions)
        {
            session.Pause();
        }
    }

    /// <summary>
    /// Resumes all paused peers: those that <see cref="PauseReceiving"/> or <see cref="ZeroMqPeer.PauseReceiving"/>
    /// paused, and those with a message that the handler refused. The buffered bytes are delivered in a separate
    /// iteration of the loop. Each call begins with another peer, so that one peer cannot always take the room if there
    /// is little room.
    /// </summary>
    /// <exception cref="InvalidOperationException">The call is not on the loop.</exception>
    public void ResumeReceiving()
    {
        RequireLoop();
        _isPaused = false;
        MessageSession[] sessions = _sessions;
        int first = sessions.Length == 0 ? 0 : (int)((uint)_resumeCount++ % (uint)sessions.Length);
        for (int i = 0; i < sessions.Length; i++)
        {
            int at = first + i;
            sessions[at < sessions.Length ? at : at - sessions.Length].Resume();
        }
    }

    /// <summary>Whether <see cref="Screen"/> must be called for each message.</summary>
    internal virtual bool Screens => false;

    /// <summary>
    /// Decides what happens to a message, and which part of it the application gets. The message counts as delivered
    /// unless <see cref="OnRefused"/> is called.
    /// </summary>
    internal virtual Screening Screen(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        body = message;
        return Screening.Deliver;
    }

    /// <summary>
    /// Called when <see cref="Screen"/> wanted to deliver a message, but the sink refused the message.
    /// </summary>
    internal virtual void OnRefused(MessageSession session)
    {
    }

    /// <summary>
    /// Called after all bytes of one read have been processed. Called only if <see cref="Screens"/> is true.
    /// </summary>
    internal virtual void OnBatchEnd()
    {
    }

    // Within a process only this window limits the bytes in transit, in addition to the high-water marks. So the window
    // has about the size of the small messages that one high-water mark allows.
    internal override long InprocWindow => MessageOptions.SendHighWaterMark == 0
        ? base.InprocWindow
        : Math.Min(
            base.InprocWindow,
            Math.Min(MessageOptions.SendHighWaterBytes, (long)MessageOptions.SendHighWaterMark * SmallMessage));

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link)
        => new MessageSession(this, loop, endpoint, link);

    internal void Add(MessageSession session)
    {
        _sessions = [.. _sessions, session];
        if (_isPaused)
        {
            session.Pause();
        }

        lock (PipeGate)
        {
            AttachPipe(session);
        }

        Sink.OnConnected(session);
    }

    internal void Remove(MessageSession session)
    {
        _sessions = Array.FindAll(_sessions, other => other != session);
        lock (PipeGate)
        {
            DetachPipe(session);
        }

        Sink.OnDisconnected(session);
    }

    private protected void RequireLoop()
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException(
                "This must be called on the socket's loop; post an action to the loop instead.");
        }
    }
}
