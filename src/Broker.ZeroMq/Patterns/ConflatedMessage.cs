using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Conflation for one peer: keeps only the newest message while an older message is being sent. May be used on any
/// loop.
/// </summary>
internal sealed class ConflatedMessage
{
    private readonly Lock _gate = new();
    private byte[] _message = [];
    private int _length;
    private bool _isOver;

    /// <summary>
    /// Stores a message in place of an older stored message. The newest message of a burst is sent at the next
    /// iteration of the peer's loop in which the previous one has been sent. Returns whether one more message will be
    /// sent: false if the message replaces another one, or if the peer has disconnected.
    /// </summary>
    internal bool Store(Connection connection, ReadOnlySpan<byte> encoded)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return false;
            }

            bool isReplaced = _length > 0;
            if (_message.Length < encoded.Length)
            {
                Return();
                _message = ArrayPool<byte>.Shared.Rent(encoded.Length);
            }

            encoded.CopyTo(_message);
            _length = encoded.Length;
            if (isReplaced)
            {
                // The replaced message has asked for the call already.
                return false;
            }
        }

        connection.LowWaterBytes = 0;
        connection.RequestLowWater();
        return true;
    }

    /// <summary>
    /// Sends the stored message, if there is one and the previous message has been sent. Called on the peer's loop.
    /// </summary>
    internal void SendStored(Connection connection, EventLoop loop)
    {
        lock (_gate)
        {
            if (_length == 0)
            {
                return;
            }

            LoopWriteBuffer buffer = connection.GetWriteBuffer(loop);
            if (buffer.Length == 0 && connection.PendingBytes == 0)
            {
                buffer.Write(_message.AsSpan(0, _length));
                _length = 0;
                Return();
                return;
            }
        }

        connection.RequestLowWater();
    }

    /// <summary>Drops the stored message because the peer has disconnected.</summary>
    internal void Drop()
    {
        lock (_gate)
        {
            _isOver = true;
            _length = 0;
            Return();
        }
    }

    private void Return()
    {
        if (_message.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_message);
            _message = [];
        }
    }
}
