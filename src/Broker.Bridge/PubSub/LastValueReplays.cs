using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Sends the last values to SUBs that have just subscribed to a prefix, in one batch per iteration of the values' loop.
/// </summary>
/// <remarks>
/// A SUB is paused while it waits for its values, so it never has more than one replay, however many prefixes it
/// subscribes to. Messages that are published meanwhile reach it directly: they have a later version than the replay,
/// so the replay skips them.
/// </remarks>
internal sealed class LastValueReplays(LoopPublisher socket, EventLoop loop, LastValues values)
{
    // The limits of a batch. A batch takes some dozen microseconds and fits in the queue of a SUB.
    private const int VisitsOfPiece = 1024;
    private const int BytesOfPiece = 256 * 1024;

    private readonly Queue<Replay> _waiting = new();
    private bool _isSending;
    private long _sent;

    /// <summary>How many last values were queued for SUBs. May be read on any thread.</summary>
    internal long Sent => Volatile.Read(ref _sent);

    /// <summary>Starts the replay for a SUB that has just subscribed to a prefix. Called on the SUB's loop.</summary>
    internal void Begin(ZeroMqPeer peer, ReadOnlySpan<byte> prefix)
    {
        long version = values.Version;
        if (version == 0)
        {
            return;
        }

        var replay = new Replay(peer, prefix.ToArray(), version);
        if (loop.TryPost(() => Add(replay)))
        {
            peer.PauseReceiving();
        }
    }

    private void Add(Replay replay)
    {
        _waiting.Enqueue(replay);
        if (!_isSending)
        {
            _isSending = true;
            SendPiece();
        }
    }

    private void SendPiece()
    {
        int visits = VisitsOfPiece;
        int bytes = BytesOfPiece;
        while (visits > 0 && bytes > 0 && _waiting.TryPeek(out Replay? replay))
        {
            ReadOnlySpan<byte> message = values.Next(ref replay.At, ref visits, replay.Prefix, replay.Version);
            if (!message.IsEmpty)
            {
                bytes -= message.Length;
                _sent += socket.PublishTo(loop, replay.Peer, message) ? 1 : 0;
            }
            else if (values.IsEnd(replay.At))
            {
                _waiting.Dequeue();
                replay.Peer.Loop.TryPost(replay.Peer.ResumeReceiving);
            }
        }

        _isSending = _waiting.Count > 0 && loop.TryPost(SendPiece);
    }

    private sealed class Replay(ZeroMqPeer peer, byte[] prefix, long version)
    {
        public int At;

        public ZeroMqPeer Peer => peer;

        public byte[] Prefix => prefix;

        public long Version => version;
    }
}
