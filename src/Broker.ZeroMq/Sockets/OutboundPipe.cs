using System.Runtime.CompilerServices;
using Broker.Transport;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// What is sent to one peer. For an endpoint that was connected to it is there before the connection and outlives it: without one,
/// messages wait here. All of it on the socket's loop; where threads send by themselves (<see cref="SingleLoopSocket.IsShared"/>) on any
/// thread, under <see cref="SingleLoopSocket.PipeGate"/>.
/// </summary>
/// <remarks>
/// <para>
/// Messages are counted down from a credit. Only when that is used up, a sixteenth of the high-water mark later, it is looked at what
/// the connection has sent: <see cref="SentMarks"/> says how many messages these octets were. One that conflates never gives itself credit:
/// each message takes the long way.
/// </para>
/// <para>
/// A shared pipe writes to the connection's stage for foreign threads, also on the loop, and <see cref="Flush"/> ends each hold of the gate: so
/// messages leave in the order in which they were written, whoever wrote them. The connection may end between a thread's look
/// at it and its flush. Then it discards what it is given, and that comes back here.
/// </para>
/// </remarks>
internal sealed partial class OutboundPipe
{
    private const int Steps = 16;
    private const int StepWithoutMark = 1024;

    // A copy is contiguous, and what is left of a block when it does not fit there is lost.
    private const int MostPerCopy = 4 * 1024;

    private readonly SingleLoopSocket _socket;
    private readonly EventLoop _loop;
    private readonly int _most;
    private readonly int _step;
    private readonly long _mostBytes;
    private readonly HeldBudget _budget;
    private readonly MessageBacklog? _backlog;
    private readonly MessageBacklog? _newest;
    private readonly bool _isShared;
    private OutboundStage? _stage;
    private Connection? _connection;
    private ZeroMqPeer? _peer;
    private SentMarks _marks = new();
    private int _granted;
    private int _credit;
    private long _byteCredit;
    private int _flushingThread;
    private MessageBacklog? _discarded;

    /// <param name="socket">The socket.</param>
    /// <param name="isLink">Whether it outlives its connections.</param>
    internal OutboundPipe(SingleLoopSocket socket, bool isLink)
    {
        var options = socket.MessageOptions;
        _socket = socket;
        _loop = socket.Loop;
        _most = options.SendHighWaterMark == 0 ? int.MaxValue : options.SendHighWaterMark;
        _step = options.SendHighWaterMark == 0 ? StepWithoutMark : Math.Max(1, options.SendHighWaterMark / Steps);
        _mostBytes = options.SendHighWaterBytes;
        _budget = socket.Loops.HeldBudget;
        _backlog = isLink ? new MessageBacklog(_budget) : null;
        _newest = options.Conflate ? new MessageBacklog(_budget) : null;
        _isShared = socket.IsShared;
    }

    /// <summary>Whether it was refused a message and has not got room since.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>By which a ROUTER knows its peer; null for other sockets.</summary>
    internal byte[]? RoutingId { get; set; }

    /// <summary>Whether there is a connection now.</summary>
    internal bool IsAttached => _stage is not null;

    /// <summary>The peer of the connection that there is now.</summary>
    internal ZeroMqPeer? Peer => _peer;

    /// <summary>Messages that wait for a connection.</summary>
    internal int Waiting => _backlog?.Count ?? 0;

    /// <summary>How many more messages fit before it is at its mark, if their octets do.</summary>
    internal int Room
    {
        get
        {
            if (_newest is not null)
            {
                return _stage is null && _backlog is null ? 0 : int.MaxValue;
            }

            if (_stage is null)
            {
                return _backlog is null ? 0 : Math.Max(0, _most - _backlog.Count);
            }

            Look();
            return (int)Math.Max(0, _most - Pending);
        }
    }

    /// <summary>Queues a message of this size, or says that the peer is full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryWrite<TMessage>(ref TMessage message, int size)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if ((_credit == 0 || _byteCredit < size) && !Recount(size))
        {
            return _newest is not null && TryKeep(ref message, size);
        }

        if (_stage is { } stage)
        {
            message.Encode(stage.GetSpan(size)[..size]);
            stage.Advance(size);
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

    /// <summary>Queues encoded messages from the front on, with one copy; none when the peer is full.</summary>
    /// <param name="messages">The messages, one behind the other.</param>
    /// <param name="count">How many they are; at least one.</param>
    /// <param name="written">How many were queued. There may be room for more.</param>
    /// <returns>Their size.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal int WriteSome(ReadOnlySpan<byte> messages, int count, out int written)
    {
        if (_newest is not null)
        {
            return WriteNewest(messages, count, out written);
        }

        int size = EncodedMessage.Measure(messages);
        if ((_credit == 0 || _byteCredit < size) && !Recount(size))
        {
            written = 0;
            return 0;
        }

        written = 1;
        long most = Math.Min(MostPerCopy, _byteCredit);
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

        if (_stage is { } stage)
        {
            stage.Write(messages[..size]);
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

    /// <summary>The peer is there: it gets what waits.</summary>
    internal void Attach(MessageSession session)
    {
        session.Pipe = this;
        _peer = session.Peer;
        _connection = session.Connection;
        _stage = _isShared ? _connection.ExternalStage : _connection.GetStage(_loop);
        if (_isShared)
        {
            // The handshake's last words go first.
            _connection.HandOver(_loop);
        }

        _marks.Reset();
        _granted = _credit = 0;
        _byteCredit = 0;
        if (_backlog is { Count: > 0 } backlog)
        {
            int count = backlog.Count;
            _peer!.CountSent(count);
            backlog.MoveTo(_stage);
            Flush();
            _marks.Add(Position, count);
        }

        if (IsFull)
        {
            OnRoom();
        }
    }

    /// <summary>The connection is gone; what it did not send waits for the next. False when there is to be none.</summary>
    internal bool TryRecover(Connection connection)
    {
        if (_connection != connection)
        {
            return false;
        }

        bool survives = _backlog is not null && _socket.Keeps(this);
        if (survives)
        {
            connection.TakeUnsent(_backlog!);
            _discarded?.MoveTo(_backlog!);
            KeepNewestOnly();
        }

        _newest?.Clear();

        _peer = null;
        _connection = null;
        _stage = null;
        _granted = _credit = 0;
        _byteCredit = 0;
        return survives;
    }

    /// <summary>
    /// What the connection has discarded, as <see cref="TryRecover"/> that returned false leaves it: of what was written when it had ended already.
    /// </summary>
    internal (int Messages, long Bytes) TakeDiscarded()
    {
        var lost = (_discarded?.Count ?? 0, _discarded?.Bytes ?? 0);
        _discarded?.Clear();
        return lost;
    }

    /// <summary>The connection has ended before it was given these messages. On the thread that gave them to it.</summary>
    internal void OnDiscarded(ReadOnlySpan<byte> messages)
    {
        if (_flushingThread != Environment.CurrentManagedThreadId)
        {
            // Something that the loop had to say.
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

    /// <summary>Hands over what was written since the last time; without sharing that is left to the end of the loop's turn.</summary>
    internal void Flush()
    {
        if (_isShared && _connection is { } connection)
        {
            _flushingThread = Environment.CurrentManagedThreadId;
            connection.FlushExternal();
            _flushingThread = 0;
        }
    }

    /// <summary>There may be room again.</summary>
    internal void OnRoom()
    {
        if (_newest is { Count: > 0 } && _stage is not null)
        {
            SendNewest();
            return;
        }

        if (IsFull && HasRoomBelowLowWater())
        {
            EndFull();
        }
    }

    /// <summary>There is enough memory again, for who was refused because of that.</summary>
    internal void OnEnough()
    {
        if (IsFull && HasAnyRoom())
        {
            EndFull();
        }
    }

    /// <summary>Drops what waits for a connection. Returns how many messages that were.</summary>
    internal int Abandon()
    {
        int count = Waiting;
        _backlog?.Clear();
        return count;
    }

    private void EndFull()
    {
        IsFull = false;
        if (_connection is not null)
        {
            // Else each batch that goes out from now on is told of too, and its sender meets the loop at the gate.
            _connection.LowWaterBytes = 0;
        }

        _socket.OnRoom(this);
    }
}
