using System.Diagnostics.CodeAnalysis;
using System.Net;
using Broker.Transport.Buffers;
using Broker.Transport.Outbound;

namespace Broker.Transport;

/// <summary>
/// One established byte stream, owned by one <see cref="EventLoop"/>: a socket or one end of an in-process link.
/// </summary>
/// <remarks>
/// <para>Inbound bytes go to the <see cref="ConnectionHandler"/> on the owning loop's thread. Outbound bytes are written
/// into an <see cref="OutboundStage"/> by any loop of the group (each has a stage of its own for each connection), or by
/// other threads through <see cref="ExternalStage"/>. A loop hands its stages over at the end of its turn; the connection
/// sends at once if nothing is waiting, and otherwise as the peer takes it. Nothing ever waits for a peer:
/// what cannot be sent is queued up to <see cref="MaxPendingBytes"/>, after which the connection is closed
/// with <see cref="CloseReason.QueueFull"/>; what that says of the peer is the user's to name.</para>
/// <para>Bytes of one stage leave in order and unmixed; between stages the order is that of the hand-overs.</para>
/// </remarks>
public abstract partial class Connection
{
    private readonly OutboundStage?[] _stages;
    private OutboundStage? _externalStage;
    private volatile int _state;
    private Exception? _error;
    private CloseReason _reason;
    private bool _isAnnounced;
    private bool _isHasty = true;

    private protected Connection(EventLoop loop, ConnectionHandler handler)
    {
        Loop = loop;
        Handler = handler;
        _stages = new OutboundStage?[loop.Group.Count];
        _outbound = new OutboundSender(this);
    }

    /// <summary>The loop on whose thread the handler is called.</summary>
    public EventLoop Loop { get; }

    /// <summary>The protocol on top.</summary>
    public ConnectionHandler Handler { get; }

    /// <summary>The peer's address; null where there is none.</summary>
    public abstract EndPoint? RemoteEndPoint { get; }

    /// <summary>
    /// Lets the kernel ask a silent peer for a sign of life, and end the connection when there is none: for peers that the protocol
    /// cannot ask. Without effect where there is no TCP.
    /// </summary>
    /// <param name="idle">The silence before the first question; whole seconds, at least one.</param>
    /// <param name="interval">The wait between questions; whole seconds, at least one.</param>
    /// <param name="probes">How many questions without an answer mean the end.</param>
    public virtual void KeepAlive(TimeSpan idle, TimeSpan interval, int probes)
    {
    }

    /// <summary>Whether the connection still carries bytes: false as soon as either side has ended it.</summary>
    public bool IsOpen => _state == StateOpen;

    /// <summary>
    /// Whether what comes next may well come within some microseconds, so that the loop looks again a few times
    /// (<see cref="EventLoopOptions.IdlePolls"/>) before it sleeps. A loop on which no connection is so does not: it leaves the processor to
    /// those who are waited for. Default true. On the loop's thread, from <see cref="ConnectionHandler.OnOpened"/> on.
    /// </summary>
    public bool IsHasty
    {
        get => _isHasty;
        set
        {
            Loop.RequireCurrent();
            if (_isHasty != value && _isAnnounced && !IsClosed)
            {
                Loop.CountHasty(value ? 1 : -1);
            }

            _isHasty = value;
        }
    }

    internal BlockDepot Depot => Loop.Group.Depot;

    /// <summary>
    /// The stage of <paramref name="loop"/> for this connection. Call it on that loop's thread;
    /// <paramref name="loop"/> must be of the same group as <see cref="Loop"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The loop is of another group.</exception>
    /// <exception cref="InvalidOperationException">
    /// Not on that loop's thread. Found out when a stage is made and when the first bytes of a turn are written to it.
    /// </exception>
    public OutboundStage GetStage(EventLoop loop) => _stages[loop.Index] ?? MakeStage(loop);

    /// <summary>
    /// The stage for threads that are no loop of this group. Its users exclude each other with a lock of theirs and call
    /// <see cref="FlushExternal"/> under the same lock.
    /// </summary>
    public OutboundStage ExternalStage => _externalStage ?? MakeExternalStage();

    /// <summary>
    /// Ends the connection. Bytes already handed over are still sent, up to <paramref name="linger"/>, and so are those
    /// that the caller's loop has staged; then the peer sees the end of the stream. What is handed over later is dropped.
    /// Without a linger what is queued is dropped too.
    /// Nothing more is given to the handler but <see cref="ConnectionHandler.OnClosed"/>. Any thread.
    /// </summary>
    public void Close(TimeSpan linger = default)
    {
        if (Loop.IsCurrent)
        {
            CloseOnLoop(CloseReason.Local, null, linger);
        }
        else
        {
            if (linger > TimeSpan.Zero && Loop.Group.Current is { } caller && _stages[caller.Index] is { Length: > 0 } stage)
            {
                // The end of the caller's turn would be too late.
                TakeOver(stage, caller);
            }

            Loop.Post(() => CloseOnLoop(CloseReason.Local, null, linger));
        }
    }

    /// <summary>Hands to the connection what was written to <see cref="ExternalStage"/> and sends it on the caller's thread.</summary>
    public void FlushExternal()
    {
        if (_externalStage is { Length: > 0 } stage)
        {
            TakeOver(stage, null);
        }
    }

    /// <summary>Calls <see cref="ConnectionHandler.OnOpened"/> and starts to receive. On the loop.</summary>
    internal void Open()
    {
        if (IsClosed)
        {
            return;
        }

        try
        {
            Announce();
            // The handler may have closed it, and then the descriptor may be somebody else's by now.
            if (!IsClosed)
            {
                StartReceiving();
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }

    private void Announce()
    {
        if (!_isAnnounced)
        {
            _isAnnounced = true;
            Loop.CountHasty(_isHasty ? 1 : 0);
            Handler.OnOpened(this);
        }
    }

    /// <summary>Something outside a handler's call failed: it costs this connection and not the loop. On the loop.</summary>
    internal void Fail(Exception error)
    {
        Loop.Group.ReportFault(error);
        try
        {
            CloseOnLoop(CloseReason.Error, error, TimeSpan.Zero);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Loop.Group.ReportFault(e);
        }
    }

    /// <summary>There is something to receive. <paramref name="ready"/> is the number of connections that have, at this time. On the loop.</summary>
    internal abstract void OnReadable(int ready);

    private protected abstract void StartReceiving();

    /// <summary>
    /// Calls the handler and returns how many bytes it consumed, in range; 0 when it threw and the connection is closed.
    /// <paramref name="needed"/> is what it asked for, or 0 where that tells nothing. On the loop.
    /// </summary>
    private protected int CallHandler(ReadOnlySpan<byte> bytes, out int needed)
    {
        needed = 0;
        Loop.Handled = this;
        try
        {
            int consumed = Handler.OnReceived(this, bytes, ref needed);
            if ((uint)consumed > (uint)bytes.Length)
            {
                RejectConsumed(consumed, bytes.Length);
            }

            if (needed <= bytes.Length - consumed)
            {
                needed = 0;
            }

            return consumed;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            needed = 0;
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return 0;
        }
    }

    /// <summary>A handler that never consumes and never says why is its own fault, but must end in order.</summary>
    private protected static InvalidOperationException RestTooLarge()
        => new("More bytes are left unconsumed than an array can hold.");

    [DoesNotReturn]
    private static void RejectConsumed(int consumed, int length)
        => throw new InvalidOperationException($"The handler consumed {consumed} of {length} bytes.");

    private OutboundStage MakeStage(EventLoop loop)
    {
        if (loop.Group != Loop.Group)
        {
            throw new ArgumentException("The loop is of another group than the connection.", nameof(loop));
        }

        loop.RequireCurrent();
        return _stages[loop.Index] = new OutboundStage(this, loop);
    }

    private OutboundStage MakeExternalStage()
    {
        var made = new OutboundStage(this, null);
        return Interlocked.CompareExchange(ref _externalStage, made, null) ?? made;
    }
}
