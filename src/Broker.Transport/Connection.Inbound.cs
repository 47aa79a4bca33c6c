namespace Broker.Transport;

// What every transport does with bytes that have come: give them to the handler and keep what it leaves. On the loop.
public abstract partial class Connection
{
    private InboundRest _rest;
    private int _needed;

    /// <summary>How many bytes the handler has left.</summary>
    private protected int Kept => _rest.Length;

    /// <summary>What the handler has left, for the handshake of TLS; good until anything else is called.</summary>
    private protected ReadOnlySpan<byte> KeptBytes => _rest.Bytes;

    /// <summary>How many bytes, counted from the first that is kept, the handler waits for; 0 when it did not say.</summary>
    private protected int Needed => _needed;

    /// <summary>The most bytes that a call was given from memory of the connection's own.</summary>
    private protected int LargestDelivered { get; private set; }

    /// <summary>Gives borrowed bytes to the handler and keeps what it leaves. When nothing is kept.</summary>
    private protected void Deliver(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < _needed)
        {
            Loop.BytesMoved += _rest.Keep(bytes);
            return;
        }

        int consumed = CallHandler(bytes, out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _rest.Keep(bytes[consumed..]);
        }
    }

    /// <summary>
    /// Gives the handler what is kept and then <paramref name="count"/> bytes, which are borrowed. They are in the array where there
    /// is just room before them for what is kept: the fewer are copied to the others, so that a packet costs what it brings.
    /// </summary>
    private protected void DeliverBehindKept(byte[] array, int count)
    {
        int kept = _rest.Length;
        ReadOnlySpan<byte> bytes = array.AsSpan(kept, count);
        if (kept > count || kept + count < _needed)
        {
            DeliverAppended(bytes);
            return;
        }

        _rest.Bytes.CopyTo(array);
        Loop.BytesMoved += kept;
        int consumed = CallHandler(array.AsSpan(0, kept + count), out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _rest.Keep(array.AsSpan(consumed, kept + count - consumed));
        }
    }

    /// <summary>Gives the handler what is kept and then <paramref name="bytes"/>, which are copied.</summary>
    private protected void DeliverAppended(ReadOnlySpan<byte> bytes)
    {
        if ((long)_rest.Length + bytes.Length > Array.MaxLength)
        {
            CloseOnLoop(CloseReason.Error, RestTooLarge(), TimeSpan.Zero);
            return;
        }

        Loop.BytesMoved += _rest.Append(bytes);
        DeliverKept();
    }

    /// <summary>Gives the handler what is kept, unless it waits for more.</summary>
    private protected void DeliverKept()
    {
        if (_rest.Length == 0 || _rest.Length < _needed)
        {
            return;
        }

        LargestDelivered = Math.Max(LargestDelivered, _rest.Length);
        InboundRest.Window window = _rest.TakeOut();
        int consumed = CallHandler(window.Bytes, out _needed);
        if (IsOpen)
        {
            Loop.BytesMoved += _rest.PutBack(window, consumed);
        }
        else
        {
            InboundRest.Return(window);
        }
    }

    /// <summary>Makes room to receive behind what is kept, so that it is <paramref name="size"/> bytes with that.</summary>
    /// <returns>False when there is no such array; the connection is closed.</returns>
    private protected bool TryReserve(int size, out byte[] array, out int offset, out int room)
    {
        room = size - _rest.Length;
        if (room <= 0)
        {
            CloseOnLoop(CloseReason.Error, RestTooLarge(), TimeSpan.Zero);
            array = [];
            offset = 0;
            return false;
        }

        Loop.BytesMoved += _rest.Reserve(room, size);
        (array, offset) = _rest.Room;
        return true;
    }

    /// <summary>Keeps bytes without giving them to the handler. When nothing is kept.</summary>
    private protected void Keep(ReadOnlySpan<byte> bytes) => Loop.BytesMoved += _rest.Keep(bytes);

    private protected void CountReserved(int received) => _rest.Advance(received);

    private protected void ReleaseKept()
    {
        _rest.Release();
        _needed = 0;
    }

    /// <summary>
    /// Says that the call under way has handled so many messages. A handler that says so each time is held up as it must be where others wait
    /// for answers (<see cref="EventLoopOptions.BulkPause"/>): by many small messages longer than by a few large ones. In
    /// <see cref="ConnectionHandler.OnReceived"/>, any number of times.
    /// </summary>
    /// <param name="count">How many; 0 for a part of one.</param>
    public void CountMessages(int count) => Loop.MessagesHandled = Math.Max(0, Loop.MessagesHandled) + count;
}
