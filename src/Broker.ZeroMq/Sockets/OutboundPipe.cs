using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// The messages that are sent to one peer. If the socket connects to an endpoint, the pipe exists before the connection
/// and outlives it; without a connection the messages wait in the pipe. A pipe is used on the socket's loop. If other
/// threads send too (<see cref="SingleLoopSocket.IsShared"/>), the pipe is used on any thread under
/// <see cref="SingleLoopSocket.PipeGate"/>.
/// </summary>
/// <remarks>
/// <para>
/// The pipe has a credit: a number of messages, a sixteenth of the high-water mark, that may be queued without a check.
/// When the credit is used up, the pipe checks how many bytes the connection has sent; <see cref="SentMarks"/> converts
/// these bytes into messages. A pipe that conflates never has credit for a second message, so each message takes the
/// slow path.
/// </para>
/// <para>
/// A shared pipe always writes to the connection's buffer for other threads, even on the loop, and <see cref="Flush"/>
/// is called before the gate is released. So messages are sent in the order in which they were written, whichever
/// thread wrote them. The connection may end after a thread has checked it and before that thread flushes. Then the
/// connection discards the messages and returns them through <see cref="OnDiscarded"/>.
/// </para>
/// </remarks>
internal sealed partial class OutboundPipe
{
    private const int Steps = 16;
    private const int StepWithoutMark = 1024;

    // A copy is contiguous: if it does not fit into the rest of a buffer, the rest is wasted. So copies are small.
    private const int MaxCopySize = 4 * 1024;

    private readonly SingleLoopSocket _socket;
    private readonly EventLoop _loop;
    private readonly int _maxMessages;
    private readonly int _step;
    private readonly long _maxBytes;
    private readonly MemoryBudget _budget;
    private readonly MessageBacklog? _backlog;
    private readonly MessageBacklog? _newest;
    private readonly bool _isShared;
    private LoopWriteBuffer? _buffer;
    private Connection? _connection;
    private ZeroMqPeer? _peer;
    private SentMarks _marks = new();
    private int _granted;
    private int _credit;
    private long _byteCredit;
    private int _flushingThread;

    // The number of messages at the front of the backlog that were counted as sent for a connection that has ended.
    private int _recovered;
    private MessageBacklog? _discarded;

    /// <param name="socket">The socket.</param>
    /// <param name="isLink">Whether the pipe outlives its connections.</param>
    internal OutboundPipe(SingleLoopSocket socket, bool isLink)
    {
        LoopMessageOptions options = socket.MessageOptions;
        _socket = socket;
        _loop = socket.Loop;
        _maxMessages = options.SendHighWaterMark == 0 ? int.MaxValue : options.SendHighWaterMark;
        _step = options.SendHighWaterMark == 0 ? StepWithoutMark : Math.Max(1, options.SendHighWaterMark / Steps);
        _maxBytes = options.SendHighWaterBytes;
        _budget = socket.Loops.MemoryBudget;
        _backlog = isLink ? new MessageBacklog(_budget) : null;
        _newest = options.Conflate ? new MessageBacklog(_budget) : null;
        _isShared = socket.IsShared;
    }

    /// <summary>Whether a message was refused and there has been no room since.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>The routing id of a ROUTER's peer; null for other sockets.</summary>
    internal byte[]? RoutingId { get; set; }

    /// <summary>
    /// Whether this side generated the routing id, which the pipe then keeps when its peer reconnects.
    /// </summary>
    internal bool HasGeneratedId { get; set; }

    /// <summary>Whether this side has refused the peer and will soon close the connection.</summary>
    internal bool IsEnding { get; private set; }

    /// <summary>Whether the pipe has a connection now.</summary>
    internal bool IsAttached => _buffer is not null;

    /// <summary>The peer of the current connection.</summary>
    internal ZeroMqPeer? Peer => _peer;

    /// <summary>The number of messages that wait for a connection.</summary>
    internal int BacklogCount => _backlog?.Count ?? 0;

    /// <summary>How many more messages fit below the high-water mark, if their bytes fit too.</summary>
    internal int Room
    {
        get
        {
            if (_newest is not null)
            {
                return _buffer is null && _backlog is null ? 0 : int.MaxValue;
            }

            if (IsEnding)
            {
                return 0;
            }

            if (_buffer is null)
            {
                return _backlog is null ? 0 : Math.Max(0, _maxMessages - _backlog.Count);
            }

            UpdateMarks();
            return (int)Math.Max(0, _maxMessages - Pending);
        }
    }

    /// <summary>Queues a message of this size. Returns false if the pipe is full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryWrite<TMessage>(ref TMessage message, int size)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if ((_credit == 0 || _byteCredit < size) && !TryRefillCredit(size))
        {
            return _newest is not null && TryStoreNewest(ref message, size);
        }

        if (_buffer is { } buffer)
        {
            message.Encode(buffer.GetSpan(size)[..size]);
            buffer.Advance(size);
            _peer!.CountSent(onOwnLoop: true);
        }
        else
        {
            message.Encode(_backlog!.Reserve(size)[..size]);
            _backlog.Commit(size);
        }

        _credit--;
        _byteCredit -= size;
        return true;
    }

    /// <summary>
    /// Queues as many of the encoded messages as one copy may contain, from the first message on. Queues none if the
    /// pipe is full.
    /// </summary>
    /// <param name="messages">The encoded messages, one after the other.</param>
    /// <param name="count">The number of messages; at least one.</param>
    /// <param name="written">The number of queued messages. There may be room for more messages.</param>
    /// <returns>The size of the queued messages in bytes.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal int WriteSome(ReadOnlySpan<byte> messages, int count, out int written)
    {
        if (_newest is not null)
        {
            return WriteNewest(messages, count, out written);
        }

        int size = EncodedMessage.Measure(messages);
        if ((_credit == 0 || _byteCredit < size) && !TryRefillCredit(size))
        {
            written = 0;
            return 0;
        }

        written = 1;
        long most = Math.Min(MaxCopySize, _byteCredit);
        int limit = Math.Min(count, _credit);
        while (written < limit)
        {
            int next = size + EncodedMessage.Measure(messages[size..]);
            if (next > most)
            {
                break;
            }

            size = next;
            written++;
        }

        if (_buffer is { } buffer)
        {
            buffer.Write(messages[..size]);
            _peer!.CountSent(written);
        }
        else
        {
            _backlog!.Add(messages[..size], written);
        }

        _credit -= written;
        _byteCredit -= size;
        return size;
    }

    /// <summary>Attaches the pipe to the peer's connection and sends the messages that wait in the pipe.</summary>
    internal void Attach(MessageSession session)
    {
        session.Pipe = this;
        _peer = session.Peer;
        _connection = session.Connection;
        _buffer = _isShared ? _connection.ExternalWriteBuffer : _connection.GetWriteBuffer(_loop);
        if (_isShared)
        {
            // Send the last bytes of the handshake first.
            _connection.Flush(_loop);
        }

        _marks.Reset();
        _granted = _credit = 0;
        _byteCredit = 0;
        if (_backlog is { Count: > 0 } backlog)
        {
            int count = backlog.Count;
            _peer!.MessagesSentAgain = Math.Min(_recovered, count);
            _peer.CountSent(count);
            backlog.MoveTo(_buffer);
            Flush();
            _marks.Add(Position, count);
        }

        if (IsFull)
        {
            OnRoom();
        }
    }

    /// <summary>
    /// Sends the written messages. Writes no more messages to this connection, because this side has refused the peer
    /// and is about to close the connection. Later messages wait until the pipe is detached.
    /// </summary>
    internal void BeginEnd()
    {
        Flush();
        if (_buffer is not null)
        {
            UpdateMarks();
            _granted = _credit = 0;
            _byteCredit = 0;
            IsEnding = true;
        }
    }

    /// <summary>
    /// Detaches the pipe from a closed connection. Returns true if the unsent messages now wait for the next
    /// connection, and false if there will be no next connection.
    /// </summary>
    /// <param name="connection">The connection that has ended.</param>
    /// <param name="dropped">
    /// The size of a message that was dropped because it was interrupted too often; 0 if no message was dropped.
    /// </param>
    internal bool TryRecover(Connection connection, out int dropped)
    {
        dropped = 0;
        if (_connection != connection)
        {
            return false;
        }

        bool survives = _backlog is not null && _socket.IsLinkPipe(this);
        if (survives)
        {
            connection.TakeUnsent(_backlog!);
            _discarded?.MoveTo(_backlog!);
            dropped = DropInterrupted(_peer!.MessagesSent);
            _recovered = _backlog!.Count;
            ReplaceBacklogByNewest();
        }

        _newest?.Clear();

        _peer = null;
        _connection = null;
        _buffer = null;
        IsEnding = false;
        _granted = _credit = 0;
        _byteCredit = 0;
        return survives;
    }

    /// <summary>
    /// Returns the number and size of the messages that the connection discarded because it had already ended, and
    /// forgets them. Called after <see cref="TryRecover"/> has returned false.
    /// </summary>
    internal (int Messages, long Bytes) TakeDiscarded()
    {
        (int, long) lost = (_discarded?.Count ?? 0, _discarded?.Bytes ?? 0);
        _discarded?.Clear();
        return lost;
    }

    /// <summary>
    /// Called when the connection had ended before these messages were flushed to it. Runs on the thread that flushes.
    /// </summary>
    internal void OnDiscarded(ReadOnlySpan<byte> messages)
    {
        if (_flushingThread != Environment.CurrentManagedThreadId)
        {
            // These are not messages but commands that the loop wrote.
            return;
        }

        _discarded ??= new MessageBacklog(_budget);
        while (!messages.IsEmpty)
        {
            int size = EncodedMessage.Measure(messages);
            _discarded.Add(messages[..size]);
            messages = messages[size..];
        }
    }

    /// <summary>
    /// Flushes what was written since the last flush. Pipes that are not shared are flushed at the end of the loop's
    /// iteration.
    /// </summary>
    internal void Flush()
    {
        if (_isShared && _connection is { } connection)
        {
            _flushingThread = Environment.CurrentManagedThreadId;
            connection.FlushExternal();
            _flushingThread = 0;
        }
    }

    /// <summary>Called when there may be room again.</summary>
    internal void OnRoom()
    {
        if (IsEnding)
        {
            return;
        }

        if (_newest is { Count: > 0 } && _buffer is not null)
        {
            SendNewest();
            return;
        }

        if (IsFull && HasRoomBelowLowWater())
        {
            EndFull();
        }
    }

    /// <summary>
    /// Called when memory is no longer short, for a pipe that refused a message because of the shortage.
    /// </summary>
    internal void OnMemoryAvailable()
    {
        if (IsFull && !IsEnding && HasAnyRoom())
        {
            EndFull();
        }
    }

    /// <summary>Drops the messages that wait for a connection and returns their number.</summary>
    internal int Abandon()
    {
        int count = BacklogCount;
        _backlog?.Clear();
        return count;
    }

    private void EndFull()
    {
        IsFull = false;
        if (_connection is not null)
        {
            // Without this line, each send would signal low water, and the sender would contend with the loop for the
            // gate.
            _connection.LowWaterBytes = 0;
        }

        _socket.OnRoom(this);
    }
}
