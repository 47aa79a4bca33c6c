using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq.Publishing;

/// <summary>The newest message for a peer that is still being sent an older one. Any loop.</summary>
internal sealed class Newest
{
    private readonly Lock _gate = new();
    private byte[] _message = [];
    private int _length;
    private bool _isOver;

    /// <summary>Sends a message if the one before has left, and keeps it in the place of another one if not.</summary>
    internal void Put(Connection connection, EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        lock (_gate)
        {
            var stage = connection.GetStage(loop);
            if (_length == 0 && stage.Length > 0)
            {
                connection.HandOver(loop);
            }

            if (_isOver)
            {
                return;
            }

            if (_length == 0 && stage.Length == 0 && connection.PendingBytes == 0)
            {
                stage.Write(encoded);
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

    /// <summary>What was before has left. On the peer's loop.</summary>
    internal void Send(Connection connection, EventLoop loop)
    {
        lock (_gate)
        {
            if (_length > 0)
            {
                connection.GetStage(loop).Write(_message.AsSpan(0, _length));
                _length = 0;
                Return();
            }
        }
    }

    /// <summary>The peer is gone.</summary>
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
