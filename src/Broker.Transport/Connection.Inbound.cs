namespace Broker.Transport;

// What every transport does with received bytes: pass them to the handler and keep the bytes that it does not consume.
// On the loop.
public abstract partial class Connection
{
    private UnconsumedBuffer _unconsumed;
    private int _needed;

    /// <summary>How many received bytes the handler has not consumed.</summary>
    private protected int UnconsumedCount => _unconsumed.Length;

    /// <summary>
    /// The received bytes that the handler has not consumed, for the TLS handshake. Valid until the next call of any
    /// method.
    /// </summary>
    private protected ReadOnlySpan<byte> UnconsumedBytes => _unconsumed.Bytes;

    /// <summary>
    /// How many bytes, counted from the first unconsumed one, the handler needs before its next call; 0 if the handler
    /// did not set it.
    /// </summary>
    private protected int NeededBytes => _needed;

    /// <summary>
    /// The largest number of bytes that one call of the handler was given from memory that this connection owns.
    /// </summary>
    private protected int LargestDelivered { get; private set; }

    /// <summary>
    /// Passes borrowed bytes to the handler and copies those that it leaves unconsumed. Only while no unconsumed bytes
    /// are kept.
    /// </summary>
    private protected void Deliver(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < _needed)
        {
            Loop.BytesMoved += _unconsumed.Replace(bytes);
            return;
        }

        int consumed = CallHandler(bytes, out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _unconsumed.Replace(bytes[consumed..]);
        }
    }

    /// <summary>
    /// Passes the unconsumed bytes, followed by <paramref name="count"/> borrowed bytes, to the handler. The borrowed
    /// bytes begin in the array at an offset that equals the number of unconsumed bytes. The smaller part is copied to
    /// the larger, so that a packet costs no more copying than its own size.
    /// </summary>
    private protected void DeliverAfterUnconsumed(byte[] array, int count)
    {
        int kept = _unconsumed.Length;
        ReadOnlySpan<byte> bytes = array.AsSpan(kept, count);
        if (kept > count || kept + count < _needed)
        {
            DeliverAppended(bytes);
            return;
        }

        _unconsumed.Bytes.CopyTo(array);
        Loop.BytesMoved += kept;
        int consumed = CallHandler(array.AsSpan(0, kept + count), out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _unconsumed.Replace(array.AsSpan(consumed, kept + count - consumed));
        }
    }

    /// <summary>Passes the unconsumed bytes, followed by a copy of <paramref name="bytes"/>, to the handler.</summary>
    private protected void DeliverAppended(ReadOnlySpan<byte> bytes)
    {
        if ((long)_unconsumed.Length + bytes.Length > Array.MaxLength)
        {
            CloseOnLoop(CloseReason.Error, UnconsumedTooLarge(), TimeSpan.Zero);
            return;
        }

        Loop.BytesMoved += _unconsumed.Append(bytes);
        DeliverUnconsumed();
    }

    /// <summary>Passes the unconsumed bytes to the handler, unless it needs more of them.</summary>
    private protected void DeliverUnconsumed()
    {
        if (_unconsumed.Length == 0 || _unconsumed.Length < _needed)
        {
            return;
        }

        LargestDelivered = Math.Max(LargestDelivered, _unconsumed.Length);
        UnconsumedBuffer.Window window = _unconsumed.TakeOut();
        int consumed = CallHandler(window.Bytes, out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _unconsumed.PutBack(window, consumed);
        }
        else
        {
            UnconsumedBuffer.Return(window);
        }
    }

    /// <summary>
    /// Reserves space behind the unconsumed bytes, so that both together have <paramref name="size"/> bytes.
    /// </summary>
    /// <returns>False if no array can be that large; the connection is then closed.</returns>
    private protected bool TryReserve(int size, out byte[] array, out int offset, out int space)
    {
        space = size - _unconsumed.Length;
        if (space <= 0)
        {
            CloseOnLoop(CloseReason.Error, UnconsumedTooLarge(), TimeSpan.Zero);
            array = [];
            offset = 0;
            return false;
        }

        Loop.BytesMoved += _unconsumed.Reserve(space, size);
        (array, offset) = _unconsumed.FreeSpace;
        return true;
    }

    /// <summary>
    /// Keeps received bytes without passing them to the handler. Only while no unconsumed bytes are kept.
    /// </summary>
    private protected void KeepUnconsumed(ReadOnlySpan<byte> bytes) => Loop.BytesMoved += _unconsumed.Replace(bytes);

    private protected void AdvanceReserved(int received) => _unconsumed.Advance(received);

    private protected void ReleaseUnconsumed()
    {
        _unconsumed.Release();
        _needed = 0;
    }

    /// <summary>
    /// Reports how many messages the current call of the handler has processed. A handler that reports this in each
    /// call is delayed according to its number of messages while other connections wait for replies (<see
    /// cref="EventLoopOptions.BulkPause"/>): longer for many small messages than for a few large ones. Called in <see
    /// cref="ConnectionHandler.OnReceived"/>, any number of times.
    /// </summary>
    /// <param name="count">The number of messages; 0 for a part of a message.</param>
    public void CountMessages(int count) => Loop.MessagesHandled = Math.Max(0, Loop.MessagesHandled) + count;
}
