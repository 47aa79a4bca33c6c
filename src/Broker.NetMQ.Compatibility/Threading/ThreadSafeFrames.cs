using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// A message that one call of a thread-safe socket receives: its own frame, and the frame before it with the peer's
/// number or the group.
/// </summary>
/// <remarks>
/// The message's own frame is copied once, from the queue of the socket into the array that the program gets. Only a
/// message for which a call has waited that can be cancelled is copied twice.
/// </remarks>
internal sealed class ThreadSafeFrames : IFrameReceiver, IDisposable
{
    private ZeroMqMessage? _waited;
    private byte[] _head = new byte[Msg.MaxGroupLength];
    private int _headSize;
    private bool _hasHead;
    private byte[] _body = [];
    private int _size;

    /// <summary>The message of a call that waits, for <see cref="TakeWaited"/>.</summary>
    internal ZeroMqMessage Waited => _waited ??= new ZeroMqMessage();

    /// <summary>The frame before the message's own; empty if there is none.</summary>
    internal ReadOnlySpan<byte> Head => _head.AsSpan(0, _headSize);

    /// <summary>Takes the frames of <see cref="Waited"/>.</summary>
    internal void TakeWaited()
    {
        IFrameReceiver frames = this;
        frames.Begin(null);
        for (int i = 0; i < Waited.FrameCount; i++)
        {
            frames.Add(Waited[i], i + 1 < Waited.FrameCount);
        }

        Waited.Clear();
    }

    /// <summary>Moves the message's own frame into a message that is not initialised.</summary>
    internal void MoveTo(ref Msg msg)
    {
        msg.InitPool(_body, _size);
        _body = [];
    }

    public void Dispose() => _waited?.Dispose();

    void IFrameReceiver.Begin(ZeroMqPeer? peer)
    {
        _headSize = 0;
        _hasHead = false;
        if (_head.Length > Msg.MaxGroupLength)
        {
            // A peer may send any first frame.
            _head = new byte[Msg.MaxGroupLength];
        }
    }

    void IFrameReceiver.Add(ReadOnlySpan<byte> frame, bool more)
    {
        if (!more)
        {
            (_body, _size) = (BufferPool.TakeCopy(frame), frame.Length);
            return;
        }

        if (_hasHead)
        {
            return;
        }

        if (frame.Length > _head.Length)
        {
            _head = new byte[frame.Length];
        }

        frame.CopyTo(_head);
        (_headSize, _hasHead) = (frame.Length, true);
    }
}
