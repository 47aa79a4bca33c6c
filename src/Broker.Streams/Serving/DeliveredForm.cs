using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>The form in which a consumer delivers messages: the subject for the acknowledgement, and the payload.</summary>
internal sealed class DeliveredForm(ServedConsumer consumer)
{
    private const int MaxNumber = 20;
    private const int Numbers = 6;

    private readonly byte[] _ackStart = Encoding.UTF8.GetBytes($"$JS.ACK.{consumer.Stream.Name}.{consumer.Name}.");
    private byte[] _payload = [];

    /// <summary>The most bytes of a subject for an acknowledgement.</summary>
    internal int MaxReply => _ackStart.Length + (Numbers * (MaxNumber + 1));

    /// <summary>Writes the subject for the acknowledgement. Returns its length.</summary>
    internal int WriteReply(Span<byte> reply, in DeliveryRead.Message message, int deliveries, ulong number, long undelivered)
    {
        _ackStart.CopyTo(reply);
        int at = _ackStart.Length;
        Append(reply, (ulong)deliveries, ref at);
        Append(reply, message.Sequence, ref at);
        Append(reply, number, ref at);
        Append(reply, (ulong)(message.Head.Time - DateTime.UnixEpoch.Ticks) * TimeSpan.NanosecondsPerTick, ref at);
        Append(reply, (ulong)Math.Max(undelivered, 0), ref at);
        return at - 1;
    }

    /// <summary>The headers and the body of a message, or only headers if the consumer wants no more.</summary>
    internal ReadOnlySpan<byte> PayloadOf(in DeliveryRead.Message message, ReadOnlySpan<byte> record, out int headers)
    {
        headers = message.Head.HeadersLength;
        return consumer.Config.HeadersOnly == true ? HeadersOf(message, record, out headers) : record[(RecordHead.Length + message.Head.SubjectLength)..];
    }

    private ReadOnlySpan<byte> HeadersOf(in DeliveryRead.Message message, ReadOnlySpan<byte> record, out int length)
    {
        ReadOnlySpan<byte> own = message.Head.HeadersOf(record);
        own = own.EndsWith("\r\n\r\n"u8) ? own[..^2] : "NATS/1.0\r\n"u8;
        ReadOnlySpan<byte> size = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"Nats-Msg-Size: {message.Head.BodyOf(record).Length}\r\n\r\n"));
        length = own.Length + size.Length;
        if (_payload.Length < length)
        {
            _payload = new byte[length * 2];
        }

        own.CopyTo(_payload);
        size.CopyTo(_payload.AsSpan(own.Length));
        return _payload.AsSpan(0, length);
    }

    private static void Append(Span<byte> reply, ulong number, ref int at)
    {
        _ = Utf8Formatter.TryFormat(number, reply[at..], out int written);
        at += written;
        reply[at++] = (byte)'.';
    }
}
