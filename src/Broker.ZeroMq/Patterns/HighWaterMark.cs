using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Limits the number of messages that are queued for a peer by all loops of a group. Each loop has a credit: the number
/// of messages that it may queue without a check. When the credit is used up, the loop checks what the connection has
/// sent (<see cref="SentMarks"/>) and takes a new credit.
/// </summary>
internal sealed class HighWaterMark
{
    private const int Steps = 16;

    private readonly Lock _gate = new();
    private readonly int _maxMessages;
    private readonly int _step;
    private readonly int[] _credits;
    private SentMarks _marks = new();
    private long _granted;

    internal HighWaterMark(int most, int loops)
    {
        _maxMessages = most;
        _step = Math.Max(1, most / Steps);
        _credits = new int[loops];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasRoom(Connection connection, EventLoop loop, LoopWriteBuffer buffer)
        => _credits[loop.Index] > 0 || TryGrantOrFlush(connection, loop, buffer);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Count(EventLoop loop) => _credits[loop.Index]--;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryGrantOrFlush(Connection connection, EventLoop loop, LoopWriteBuffer buffer)
    {
        if (TryGrant(connection, loop, buffer))
        {
            return true;
        }

        // The loop flushes at the end of an iteration anyway. But without this flush, one iteration could send no more
        // messages than the high-water mark allows.
        connection.Flush(loop);
        return TryGrant(connection, loop, buffer);
    }

    private bool TryGrant(Connection connection, EventLoop loop, LoopWriteBuffer buffer)
    {
        lock (_gate)
        {
            // The credit of other loops counts as written messages, because this loop does not know what is in their
            // write buffers.
            long position = connection.SentBytes + connection.PendingBytes + buffer.Length;
            if (_granted != _marks.Written)
            {
                _marks.Add(position, _granted);
            }

            _marks.Advance(connection.SentBytes);
            long waiting = _granted - _marks.Sent;
            if (waiting >= _maxMessages)
            {
                return false;
            }

            int credit = (int)Math.Min(_step, _maxMessages - waiting);
            _granted += credit;
            _credits[loop.Index] = credit;
            return true;
        }
    }
}
