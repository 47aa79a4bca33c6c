using System.Buffers;

namespace Broker.Transport;

// Bytes are received into the loop's buffer and parsed there. A connection owns memory only for what its handler left
// unconsumed, so an idle one owns none; a message larger than the loop's buffer is collected in memory of its own, which
// grows with what has really arrived and not with what the peer announced.
internal abstract partial class SocketConnection
{
    // Reads of one turn, so that a peer that always has more does not keep the others waiting.
    private const int ReadsAlone = 4;
    private const int SmallestRest = 256;

    private byte[] _rest = [];
    private int _restLength;
    private int _needed;
    private int _largestDelivered;

    /// <summary>The socket is readable. <paramref name="ready"/> says of how many. On the loop.</summary>
    internal override void OnReadable(int ready)
    {
        for (int reads = ready > 1 ? 1 : ReadsAlone; reads > 0; reads--)
        {
            bool more = IsLingering ? Discard()
                : _needed > Loop.ReceiveBuffer.Length ? Collect()
                : ReadShared();
            if (!more || IsClosed)
            {
                return;
            }
        }
    }

    private protected override void ReleaseInbound()
    {
        ReleaseRest();
        _needed = 0;
    }

    // Each of these returns whether there may be more to read.
    private bool ReadShared()
    {
        byte[] buffer = Loop.ReceiveBuffer;
        int kept = _restLength;
        _rest.AsSpan(0, kept).CopyTo(buffer);
        int got = Receive(buffer.AsSpan(kept), out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        int total = kept + got;
        if (total < _needed)
        {
            Keep(buffer.AsSpan(0, total));
            return false;
        }

        int consumed = Call(buffer.AsSpan(0, total));
        if (IsOpen)
        {
            Keep(buffer.AsSpan(consumed, total - consumed));
        }

        return total == buffer.Length;
    }

    private bool Collect()
    {
        int limit = Math.Min(_needed, Math.Max(Loop.ReceiveBuffer.Length, _largestDelivered));
        if (_restLength >= limit)
        {
            limit = (int)Math.Min(_needed, _restLength * 4L);
        }

        EnsureRest(limit);
        int room = limit - _restLength;
        int got = Receive(_rest.AsSpan(_restLength, room), out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        _restLength += got;
        if (_restLength < _needed)
        {
            return got == room;
        }

        byte[] whole = _rest;
        int length = _restLength;
        _largestDelivered = Math.Max(_largestDelivered, length);
        int consumed = Call(whole.AsSpan(0, length));
        if (IsOpen)
        {
            Keep(whole.AsSpan(consumed, length - consumed));
        }

        return got == room;
    }

    private bool Discard()
    {
        ReleaseInbound();
        Receive(Loop.ReceiveBuffer, out ReceiveOutcome outcome);
        return outcome == ReceiveOutcome.Received || End(outcome);
    }

    private bool End(ReceiveOutcome outcome)
    {
        if (outcome != ReceiveOutcome.Blocked)
        {
            CloseOnLoop(outcome == ReceiveOutcome.EndOfStream ? CloseReason.Peer : CloseReason.Error, null, TimeSpan.Zero);
        }

        return false;
    }

    private int Call(ReadOnlySpan<byte> bytes)
    {
        int needed = 0;
        try
        {
            int consumed = Handler.OnReceived(this, bytes, ref needed);
            // A handler that can use nothing of a full buffer and does not know why is given more, never the same again.
            _needed = consumed == 0 && needed <= bytes.Length && bytes.Length >= Loop.ReceiveBuffer.Length
                ? bytes.Length * 2
                : needed;
            return consumed;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
            return 0;
        }
    }

    private void Keep(ReadOnlySpan<byte> left)
    {
        if (left.IsEmpty)
        {
            ReleaseRest();
            return;
        }

        if (_rest.Length < left.Length)
        {
            ReleaseRest();
            _rest = ArrayPool<byte>.Shared.Rent(Math.Max(left.Length, SmallestRest));
        }

        // May overlap: what a large message left behind lies in the same array.
        left.CopyTo(_rest);
        _restLength = left.Length;
    }

    private void EnsureRest(int size)
    {
        if (_rest.Length < size)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(size);
            _rest.AsSpan(0, _restLength).CopyTo(larger);
            int length = _restLength;
            ReleaseRest();
            _rest = larger;
            _restLength = length;
        }
    }

    private void ReleaseRest()
    {
        if (_rest.Length != 0)
        {
            ArrayPool<byte>.Shared.Return(_rest);
            _rest = [];
        }

        _restLength = 0;
    }
}
