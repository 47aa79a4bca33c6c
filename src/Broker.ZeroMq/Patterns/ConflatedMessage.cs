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
    /// Sends a message if the previous one has been sent. Otherwise stores the message in place of an older stored
    /// message.
    /// </summary>
    internal void SendOrStore(Connection connection, EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        lock (_gate)
        {
            LoopWriteBuffer buffer = connection.GetWriteBuffer(loop);
            if (_length == 0 && buffer.Length > 0)
            {
                connection.Flush(loop);
            }

            if (_isOver)
            {
                return;
            }

            if (_length == 0 && buffer.Length == 0 && connection.PendingBytes == 0)
            {
                buffer.Write(encoded);
                return;
            }

            if (_message.Length < encoded.Length)
            {
                Return();
                _message = ArrayPool<byte>.Shared.Rent(encoded.Length);
            }

            encoded.CopyTo(_message);
            _length = encoded.Length;
        }

        connection.LowWaterBytes = 0;
        connection.RequestLowWater();
    }

    /// <summary>
    /// Sends the stored message, if there is one. Called on the peer's loop when the previous message has been sent.
    /// </summary>
    internal void SendStored(Connection connection, EventLoop loop)
    {
        lock (_gate)
        {
            if (_length > 0)
            {
                connection.GetWriteBuffer(loop).Write(_message.AsSpan(0, _length));
                _length = 0;
                Return();
            }
        }
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
