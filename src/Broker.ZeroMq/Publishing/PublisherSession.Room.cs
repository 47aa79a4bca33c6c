using System.Runtime.CompilerServices;
using Broker.Transport;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Publishing;

// How much waits for the peer, and what happens when that is enough. Any loop of the group.
internal sealed partial class PublisherSession
{
    /// <summary>In milliseconds.</summary>
    internal const int DropReportInterval = 1000;

    private readonly long _highWaterMark;
    private readonly MessageMark? _mark;
    private int _dropping;
    private long _dropReported;
    private int _isAwaited;
    private Newest? _newest;

    public override void OnDrained(Connection connection) => EndDropping();

    public override void OnLowWater(Connection connection)
    {
        _newest?.Send(connection, Loop);
        TellOfRoom();
    }

    /// <summary>Whether a message of this size fits. Bytes staged by other loops are theirs to count.</summary>
    /// <param name="loop">The caller's loop.</param>
    /// <param name="stage">The loop's for this peer.</param>
    /// <param name="size">Of the message, in bytes.</param>
    /// <param name="share">What memory there is for one peer, in bytes (<see cref="HeldBudget.Share"/>).</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasRoom(EventLoop loop, OutboundStage stage, int size, long share)
    {
        long waiting = Connection.HeldBytes + stage.Length;
        if (_dropping != 0 && waiting == 0)
        {
            EndDropping();
        }

        return ((waiting + size <= _highWaterMark && (waiting + size <= share || Fits(loop, stage, size, share))) || waiting == 0)
            && (_mark is null || _mark.HasRoom(Connection, loop, stage));
    }

    /// <summary>A message was written for which there was room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Count(EventLoop loop)
    {
        Peer!.CountSent(Loop == loop);
        _mark?.Count(loop);
    }

    /// <summary>Lets the socket be told when there may be room again, or the peer is gone.</summary>
    internal void AwaitRoom(EventLoop loop)
    {
        Connection.HandOver(loop);
        Interlocked.Exchange(ref _isAwaited, 1);
        Connection.LowWaterBytes = Math.Max(1, Connection.HeldBytes / 2);
        Connection.RequestLowWater();
        if (_isGone)
        {
            TellOfRoom();
        }
    }

    /// <summary>Sends a message, now or in the place of one that waits. On any loop.</summary>
    internal void SendNewest(EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        (_newest ?? Interlocked.CompareExchange(ref _newest, new Newest(), null) ?? _newest).Put(Connection, loop, encoded);
        Peer!.CountSent(Loop == loop);
    }

    /// <summary>Counts a dropped message; tells of it when it is the first since the queue was last empty. Any loop.</summary>
    /// <remarks>Not more often than <see cref="DropReportInterval"/>: a small mark can be reached and left many times a second.</remarks>
    internal void Drop()
    {
        Peer!.CountDropped();
        if (Interlocked.Exchange(ref _dropping, 1) != 0)
        {
            return;
        }

        long now = Environment.TickCount64;
        long last = Interlocked.Read(ref _dropReported);
        if ((last == 0 || now - last >= DropReportInterval) && Interlocked.CompareExchange(ref _dropReported, now, last) == last)
        {
            Report(
                ZeroMqEventKind.MessagesDropped,
                _socket.Loops.HeldBudget.IsShort ? "memory is short, and its share of it is reached" : "the high-water mark is reached");
        }
    }

    /// <summary>There may be room again, or the peer is gone. On its loop.</summary>
    internal void TellOfRoom()
    {
        if (_isAwaited != 0 && Interlocked.Exchange(ref _isAwaited, 0) != 0)
        {
            _socket.OnWritable?.Invoke();
        }
    }

    // Where memory is short what a turn has staged does not count, if the peer takes it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Fits(EventLoop loop, OutboundStage stage, int size, long share)
    {
        if (stage.Length == 0)
        {
            return false;
        }

        Connection.HandOver(loop);
        long waiting = Connection.HeldBytes;
        return waiting == 0 || waiting + size <= share;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndDropping() => Volatile.Write(ref _dropping, 0);
}
