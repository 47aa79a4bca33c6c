using Broker.Transport;
using Broker.ZeroMq.Zmtp;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// A socket all of whose peers, accepted or connected to, live on one event loop: taking turns, identities and states need no lock. More
/// loops are used by more sockets.
/// </summary>
/// <remarks>Everything but what <see cref="LoopSocket"/> has is to be called on <see cref="Loop"/>.</remarks>
public abstract partial class SingleLoopSocket : LoopSocket
{
    private const int SmallMessage = 64;

    private volatile MessageSession[] _sessions = [];
    private bool _isPaused;
    private int _resumed;

    private protected SingleLoopSocket(EventLoop loop, ZmtpSocketType type, LoopMessageOptions options, InboundSink sink)
        : base((loop ?? throw new ArgumentNullException(nameof(loop))).Group, loop, type, options)
    {
        if (options.Conflate && type is not (ZmtpSocketType.Push or ZmtpSocketType.Pull or ZmtpSocketType.Dealer))
        {
            throw new ArgumentException("Conflation is for PUSH, PULL, DEALER, PUB and SUB.", nameof(options));
        }

        Loop = loop;
        MessageOptions = options;
        Sink = sink;
    }

    /// <summary>The loop of all its peers.</summary>
    public EventLoop Loop { get; }

    /// <summary>The peers that have completed their handshake, as of now. Any thread.</summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_sessions, session => session.Peer!);

    /// <summary>Whether <see cref="PauseReceiving"/> is in force.</summary>
    public bool IsReceivingPaused => _isPaused;

    /// <summary>
    /// Whether other threads send on its pipes too. Set before the first endpoint. Then all that is done with pipes is done under
    /// <see cref="PipeGate"/>; else it is done on the loop, and of the gate there is no need where it would cost anything.
    /// </summary>
    internal bool IsShared { get; set; }

    /// <summary>Guards the pipes and whose turn it is. Within it nothing is waited for but the system's own call that sends.</summary>
    internal Lock PipeGate { get; } = new();

    /// <summary>
    /// Whether what is screened is also taken under <see cref="PipeGate"/>: where a thread that sends must find in the queue whatever was
    /// let through. Who is woken by it may meet the loop at the gate.
    /// </summary>
    internal bool TakesUnderGate { get; set; }

    internal LoopMessageOptions MessageOptions { get; }

    internal InboundSink Sink { get; }

    internal bool HasSeveralPeers => _sessions.Length > 1;

    private protected IReadOnlyList<MessageSession> Sessions => _sessions;

    /// <summary>
    /// Reads nothing more of any peer, also of those who come, until <see cref="ResumeReceiving"/>: the kernel holds them up.
    /// <see cref="ZeroMqPeer.PauseReceiving"/> says what is noticed meanwhile.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on the loop.</exception>
    public void PauseReceiving()
    {
        RequireLoop();
        _isPaused = true;
        foreach (var session in _sessions)
        {
            session.Pause();
        }
    }

    /// <summary>
    /// Goes on with all peers that are paused, by <see cref="PauseReceiving"/>, each by itself or because a message was not taken. What
    /// was held
    /// is delivered in a turn of the loop of its own; who comes first changes with each call, so that a little room goes to all in turn.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on the loop.</exception>
    public void ResumeReceiving()
    {
        RequireLoop();
        _isPaused = false;
        var sessions = _sessions;
        int first = sessions.Length == 0 ? 0 : (int)((uint)_resumed++ % (uint)sessions.Length);
        for (int i = 0; i < sessions.Length; i++)
        {
            int at = first + i;
            sessions[at < sessions.Length ? at : at - sessions.Length].Resume();
        }
    }

    /// <summary>Whether <see cref="Screen"/> is to be asked about each message.</summary>
    internal virtual bool Screens => false;

    /// <summary>
    /// What to do with a message, and what of it the application gets. It counts as delivered until <see cref="OnRefused"/>.
    /// </summary>
    internal virtual Screening Screen(MessageSession session, in ZmtpMessage message, out ZmtpMessage body)
    {
        body = message;
        return Screening.Deliver;
    }

    /// <summary>What was to be delivered was not taken.</summary>
    internal virtual void OnRefused(MessageSession session)
    {
    }

    /// <summary>What was read of a peer has been gone through. For those that screen.</summary>
    internal virtual void OnBatchEnd()
    {
    }

    // In this process the marks are all that a program has to bound what is under way: the link holds about a mark of small messages.
    internal override long InprocWindow => MessageOptions.SendHighWaterMark == 0
        ? base.InprocWindow
        : Math.Min(base.InprocWindow, Math.Min(MessageOptions.SendHighWaterBytes, (long)MessageOptions.SendHighWaterMark * SmallMessage));

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link) =>
        new MessageSession(this, loop, endpoint, link);

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
    }

    internal void Remove(MessageSession session)
    {
        _sessions = Array.FindAll(_sessions, other => other != session);
        lock (PipeGate)
        {
            DetachPipe(session);
        }

        Sink.OnGone(session);
    }

    private protected void RequireLoop()
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException("This is for the socket's loop; post an action to it instead.");
        }
    }
}
