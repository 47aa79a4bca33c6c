using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Broker.Transport;

/// <summary>
/// One established byte stream, owned by one <see cref="EventLoop"/>: a socket or one end of an in-process link.
/// </summary>
/// <remarks>
/// <para>Received bytes go to the <see cref="ConnectionHandler"/> on the owning loop's thread. Any loop of the group
/// writes outbound bytes into an <see cref="LoopWriteBuffer"/> of its own for each connection; other threads write into
/// <see cref="ExternalWriteBuffer"/>. A loop flushes its write buffers at the end of each iteration. The connection
/// sends flushed bytes at once if nothing is queued, and otherwise as the peer accepts them. No thread ever waits for
/// a peer: bytes that cannot be sent are queued up to <see cref="MaxPendingBytes"/>; beyond that the connection is
/// closed with <see cref="CloseReason.QueueFull"/>.</para>
/// <para>The bytes of one write buffer leave in order and are not mixed with others; buffers leave in the order of
/// their flushes.</para>
/// </remarks>
public abstract partial class Connection
{
    private readonly LoopWriteBuffer?[] _writeBuffers;
    private LoopWriteBuffer? _externalWriteBuffer;
    private volatile int _state;
    private Exception? _error;
    private CloseReason _reason;
    private bool _isOpened;
    private bool _spinBeforeSleep = true;

    private protected Connection(EventLoop loop, ConnectionHandler handler)
    {
        Loop = loop;
        Handler = handler;
        _writeBuffers = new LoopWriteBuffer?[loop.Group.Count];
        _outbound = new OutboundSender(this);
    }

    /// <summary>The loop on whose thread the handler is called.</summary>
    public EventLoop Loop { get; }

    /// <summary>The handler of this connection's protocol.</summary>
    public ConnectionHandler Handler { get; }

    /// <summary>The peer's address; null if the transport has no addresses.</summary>
    public abstract EndPoint? RemoteEndPoint { get; }

    /// <summary>
    /// Makes the kernel probe a silent peer, and close the connection if the peer does not answer: for peers that the
    /// protocol cannot ping. Without effect if the connection is not TCP.
    /// </summary>
    /// <param name="idle">The silence before the first probe; whole seconds, at least one.</param>
    /// <param name="interval">The wait between probes; whole seconds, at least one.</param>
    /// <param name="probes">How many unanswered probes close the connection.</param>
    public virtual void KeepAlive(TimeSpan idle, TimeSpan interval, int probes)
    {
    }

    /// <summary>Whether the connection still carries bytes; false as soon as either side has ended it.</summary>
    public bool IsOpen => _state == StateOpen;

    /// <summary>
    /// Whether the next bytes are likely to come within some microseconds, so that the loop polls a few times (<see
    /// cref="EventLoopOptions.IdlePolls"/>) before its thread sleeps. A loop without such a connection does not spin,
    /// and leaves the processor to other programs. Default true. On the loop's thread, from <see
    /// cref="ConnectionHandler.OnOpened"/> on.
    /// </summary>
    public bool SpinBeforeSleep
    {
        get => _spinBeforeSleep;
        set
        {
            Loop.RequireCurrent();
            if (_spinBeforeSleep != value && _isOpened && !IsClosed)
            {
                Loop.AddSpinning(value ? 1 : -1);
            }

            _spinBeforeSleep = value;
        }
    }

    internal SharedBlockPool SharedBlocks => Loop.Group.SharedBlocks;

    /// <summary>
    /// Returns the write buffer of <paramref name="loop"/> for this connection. Call it on that loop's thread;
    /// <paramref name="loop"/> must be of the same group as <see cref="Loop"/>.
    /// </summary>
    /// <exception cref="ArgumentException">The loop is of another group.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on that loop's thread. Checked when a buffer is created and at the first write of each
    /// iteration.
    /// </exception>
    public LoopWriteBuffer GetWriteBuffer(EventLoop loop) => _writeBuffers[loop.Index] ?? CreateWriteBuffer(loop);

    /// <summary>
    /// The write buffer for threads that are not loops of this group. Its users exclude each other with a lock of
    /// their own, and call <see cref="FlushExternal"/> under the same lock.
    /// </summary>
    public LoopWriteBuffer ExternalWriteBuffer => _externalWriteBuffer ?? CreateExternalWriteBuffer();

    /// <summary>
    /// Closes the connection. With a linger time, bytes that were flushed, and bytes that the caller's loop has
    /// written, are still sent for at most <paramref name="linger"/>; then the peer sees the end of the stream. Bytes
    /// that are flushed later are dropped. Without a linger time, queued bytes are dropped too. The handler gets no
    /// more calls except <see cref="ConnectionHandler.OnClosed"/>. Any thread.
    /// </summary>
    public void Close(TimeSpan linger = default)
    {
        if (Loop.IsCurrent)
        {
            CloseOnLoop(CloseReason.Local, null, linger);
        }
        else
        {
            if (linger > TimeSpan.Zero && Loop.Group.Current is { } caller && _writeBuffers[caller.Index] is { Length: > 0 } buffer)
            {
                // A flush at the end of the caller's iteration would be too late.
                FlushBuffer(buffer, caller);
            }

            Loop.Post(() => CloseOnLoop(CloseReason.Local, null, linger));
        }
    }

    /// <summary>
    /// Flushes what was written to <see cref="ExternalWriteBuffer"/> and sends it on the caller's thread.
    /// </summary>
    public void FlushExternal()
    {
        if (_externalWriteBuffer is { Length: > 0 } buffer)
        {
            FlushBuffer(buffer, null);
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
            CallOnOpened();
            // The handler may have closed the connection, and the descriptor may then belong to another one already.
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

    private void CallOnOpened()
    {
        if (!_isOpened)
        {
            _isOpened = true;
            Loop.AddSpinning(_spinBeforeSleep ? 1 : 0);
            Handler.OnOpened(this);
        }
    }

    /// <summary>
    /// Closes the connection after an exception outside a handler's call; the loop continues. On the loop.
    /// </summary>
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

    /// <summary>
    /// There is something to receive. <paramref name="ready"/> is the number of connections that have something to
    /// receive now. On the loop.
    /// </summary>
    internal abstract void OnReadable(int ready);

    private protected abstract void StartReceiving();

    /// <summary>
    /// Calls the handler and returns how many bytes it consumed, in range; 0 if it threw and the connection is closed.
    /// <paramref name="needed"/> is the number that the handler set, or 0 if that number adds nothing. On the loop.
    /// </summary>
    private protected int CallHandler(ReadOnlySpan<byte> bytes, out int needed)
    {
        needed = 0;
        Loop.CurrentConnection = this;
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

    /// <summary>The error for a handler that never consumes bytes and never says how many it needs.</summary>
    private protected static InvalidOperationException UnconsumedTooLarge()
        => new("More bytes are left unconsumed than an array can hold.");

    [DoesNotReturn]
    private static void RejectConsumed(int consumed, int length)
        => throw new InvalidOperationException($"The handler consumed {consumed} of {length} bytes.");

    private LoopWriteBuffer CreateWriteBuffer(EventLoop loop)
    {
        if (loop.Group != Loop.Group)
        {
            throw new ArgumentException("The loop is of another group than the connection.", nameof(loop));
        }

        loop.RequireCurrent();
        return _writeBuffers[loop.Index] = new LoopWriteBuffer(this, loop);
    }

    private LoopWriteBuffer CreateExternalWriteBuffer()
    {
        var made = new LoopWriteBuffer(this, null);
        return Interlocked.CompareExchange(ref _externalWriteBuffer, made, null) ?? made;
    }
}
