using System.Buffers;

namespace Broker.Transport;

// Bytes are received into the loop's buffer and parsed there. A connection owns memory only for what its handler left
// unconsumed, so an idle one owns none; a message larger than the loop's buffer is collected in memory of its own, which
// grows with what has really arrived and not with what the peer announced.
internal abstract partial class PullConnection
{
    // Reads of one turn, so that a peer that always has more does not keep the others waiting.
    private const int ReadsAlone = 4;
    private const int SmallestRest = 256;

    private byte[] _rest = [];
    private int _restLength;
    private int _needed;
    private int _largestDelivered;
    private Pacing.Pace _pace;

    /// <summary>
    /// Whether this one, which always has more, is left for a later turn because others wait for answers. On the loop; a
    /// poller that does not then call <see cref="OnReadable"/> must report the connection again.
    /// </summary>
    internal bool IsDeferred => Loop.Pacing.Defers(_pace);

    /// <summary>There is something to receive. <paramref name="ready"/> says of how many. On the loop.</summary>
    internal override void OnReadable(int ready)
    {
        long before = Loop.BytesReceived;
        int staged = Loop.StagedConnections;
        bool more = true;
        for (int reads = ready > 1 || Loop.Pacing.OthersAreQuiet(_pace) ? 1 : ReadsAlone; more && reads > 0 && !IsClosed; reads--)
        {
            more = IsLingering ? Discard()
                : Tls is { } tls ? ReadSecured(tls)
                : Deliver<Clear>();
        }

        Loop.Pacing.CountRead(ref _pace, Loop.BytesReceived - before, more, answered: Loop.StagedConnections > staged);
    }

    private protected override void ReleaseInbound()
    {
        ReleaseRest();
        _needed = 0;
    }

    // Each of these returns whether there may be more to read.
    private bool Deliver<TSource>()
        where TSource : struct, ISource
        => _needed > Loop.ReceiveBuffer.Length || _restLength >= Loop.ReceiveBuffer.Length
            ? Collect<TSource>()
            : ReadShared<TSource>();

    private bool ReadShared<TSource>()
        where TSource : struct, ISource
    {
        byte[] buffer = Loop.ReceiveBuffer;
        int kept = _restLength;
        _rest.AsSpan(0, kept).CopyTo(buffer);
        int got = TSource.Receive(this, buffer, kept, buffer.Length - kept, out ReceiveOutcome outcome);
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

        int consumed = CallHandler(buffer.AsSpan(0, total), out _needed);
        if (IsOpen)
        {
            Keep(buffer.AsSpan(consumed, total - consumed));
        }

        return total == buffer.Length;
    }

    private bool Collect<TSource>()
        where TSource : struct, ISource
    {
        // What the handler needs; where it does not know, as much again as it had, and it is called for whatever comes.
        long most = _needed > _restLength ? _needed : _restLength * 2L;
        long limit = Math.Min(most, Math.Max(Loop.ReceiveBuffer.Length, _largestDelivered));
        if (_restLength >= limit)
        {
            limit = Math.Min(most, _restLength * 4L);
        }

        if (!TryEnsureRest((int)Math.Min(limit, Array.MaxLength), out int room))
        {
            return false;
        }

        int got = TSource.Receive(this, _rest, _restLength, room, out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        _restLength += got;
        if (_restLength < _needed)
        {
            return got == room;
        }

        // Taken out meanwhile: a handler that closes the connection may look at the bytes until it returns.
        byte[] whole = _rest;
        int length = _restLength;
        _rest = [];
        _restLength = 0;
        _largestDelivered = Math.Max(_largestDelivered, length);
        int consumed = CallHandler(whole.AsSpan(0, length), out _needed);
        if (IsOpen && consumed == 0)
        {
            _rest = whole;
            _restLength = length;
            return got == room;
        }

        if (IsOpen)
        {
            Keep(whole.AsSpan(consumed, length - consumed));
        }

        ArrayPool<byte>.Shared.Return(whole);
        return got == room;
    }

    private bool Discard()
    {
        ReleaseRest();
        Receive(Loop.ReceiveBuffer, out ReceiveOutcome outcome);
        return outcome == ReceiveOutcome.Received || End(outcome);
    }

    private bool End(ReceiveOutcome outcome)
    {
        if (outcome == ReceiveOutcome.EndOfStream)
        {
            OnPeerEnded();
        }
        else if (outcome != ReceiveOutcome.Blocked)
        {
            CloseOnLoop(CloseReason.Error, Tls?.Fault, TimeSpan.Zero);
        }

        return false;
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

        left.CopyTo(_rest);
        _restLength = left.Length;
    }

    // room is how many bytes may be received after those that are kept.
    private bool TryEnsureRest(int size, out int room)
    {
        room = size - _restLength;
        if (room <= 0)
        {
            CloseOnLoop(CloseReason.Error, RestTooLarge(), TimeSpan.Zero);
            return false;
        }

        if (_rest.Length < size)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(size);
            _rest.AsSpan(0, _restLength).CopyTo(larger);
            int length = _restLength;
            ReleaseRest();
            _rest = larger;
            _restLength = length;
        }

        return true;
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

    // Where the bytes for the handler come from; by type, so that what arrives in clear costs nothing for TLS.
    private interface ISource
    {
        static abstract int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome);
    }

    private readonly struct Clear : ISource
    {
        public static int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome)
        {
            int got = connection.Receive(array.AsSpan(offset, count), out outcome);
            connection.Loop.BytesReceived += got;
            return got;
        }
    }
}
