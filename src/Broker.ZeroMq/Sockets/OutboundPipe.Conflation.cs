using System.Runtime.CompilerServices;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

// Where only the newest message counts: one is under way, and one waits until that has left.
internal sealed partial class OutboundPipe
{
    private bool IsEmpty => _stage is { Length: 0 } && _connection!.PendingBytes == 0;

    private bool TryGrantNewest(int size)
    {
        _credit = _stage is not null && TryHandOver() && IsEmpty ? 1 : 0;
        _byteCredit = size;
        return _credit > 0;
    }

    // In the place of what was kept before. Of a link without a connection that is its backlog.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryKeep<TMessage>(ref TMessage message, int size)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var place = _stage is null ? _backlog : _newest;
        if (place is null)
        {
            return false;
        }

        place.Clear();
        message.Encode(place.Reserve(size)[..size]);
        place.Commit(size);
        if (_stage is not null)
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
        _newest!.MoveTo(_stage!);
        _peer!.CountSent(1);
        Flush();
    }

    // The connection is gone, and what it had not sent is in the backlog.
    private void KeepNewestOnly()
    {
        if (_newest is { Count: > 0 })
        {
            _backlog!.Clear();
            _newest.MoveTo(_backlog);
        }
    }
}
