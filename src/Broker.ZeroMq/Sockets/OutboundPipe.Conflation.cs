using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Loops;

// Conflation: while one message is being sent, only the newest of the later messages is kept.
internal sealed partial class OutboundPipe
{
    private bool IsEmpty => _buffer is { Length: 0 } && _connection!.PendingBytes == 0;

    private bool TryGrantConflated(int size)
    {
        _credit = _buffer is not null && TryFlush() && IsEmpty ? 1 : 0;
        _byteCredit = size;
        return _credit > 0;
    }

    // Keeps this message and drops the message that was kept before. Without a connection the message is kept in the
    // backlog.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryStoreNewest<TMessage>(ref TMessage message, int size)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        MessageBacklog? place = _buffer is null ? _backlog : _newest;
        if (place is null)
        {
            return false;
        }

        if (_buffer is null)
        {
            _interruptions = _recovered = 0;
        }

        place.Clear();
        message.Encode(place.Reserve(size)[..size]);
        place.Commit(size);
        if (_buffer is not null)
        {
            _connection!.LowWaterBytes = 0;
            _connection.RequestLowWater();
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int WriteNewest(ReadOnlySpan<byte> messages, int count, out int written)
    {
        int before = EncodedMessage.Measure(messages, count - 1);
        var last = new Encoders.Verbatim(messages.Slice(before, EncodedMessage.Measure(messages[before..])));
        written = TryWrite(ref last, last.EncodedSize) ? count : 0;
        return written == 0 ? 0 : before + last.EncodedSize;
    }

    private void SendNewest()
    {
        _newest!.MoveTo(_buffer!);
        _peer!.CountSent(1);
        Flush();
    }

    // The connection has ended, and its unsent messages are in the backlog: replace them with the newest message.
    private void ReplaceBacklogByNewest()
    {
        if (_newest is { Count: > 0 })
        {
            _interruptions = _recovered = 0;
            _backlog!.Clear();
            _newest.MoveTo(_backlog);
        }
    }
}
