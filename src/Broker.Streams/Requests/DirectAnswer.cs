using System.Buffers.Text;
using System.Text;

namespace Broker.Streams;

/// <summary>Writes a stored message as the answer to a direct read: as it is, with its place in the headers.</summary>
internal sealed class DirectAnswer(Responder responder)
{
    private const int MaxNumber = 20;
    private const int MaxTime = 32;

    private readonly ByteWriter _answer = new();

    /// <summary>Publishes the answer.</summary>
    /// <param name="reply">The reply subject.</param>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="record">The record of the message.</param>
    /// <param name="more">More lines of headers.</param>
    internal void Publish(ReadOnlySpan<byte> reply, string stream, ReadOnlySpan<byte> record, string more = "")
    {
        var head = RecordHead.Read(record);
        ReadOnlySpan<byte> headers = head.HeadersOf(record);
        _answer.Clear();
        Append(headers.EndsWith("\r\n\r\n"u8) ? headers[..^2] : "NATS/1.0\r\n"u8);
        Append("Nats-Stream: "u8);
        Append(stream);
        Append("\r\nNats-Subject: "u8);
        Append(head.SubjectOf(record));
        Append("\r\nNats-Sequence: "u8);
        Append(head.Sequence);
        Append("\r\nNats-Time-Stamp: "u8);
        Append(new DateTime(head.Time, DateTimeKind.Utc));
        Append("\r\n"u8);
        Append(more);
        Append("\r\n"u8);
        int headerLength = _answer.Length;
        Append(head.BodyOf(record));
        responder.Publish(reply, _answer.Written, headerLength);
    }

    private void Append(ReadOnlySpan<byte> bytes) => bytes.CopyTo(_answer.Append(bytes.Length));

    private void Append(string text)
    {
        int length = Encoding.UTF8.GetByteCount(text);
        Encoding.UTF8.GetBytes(text, _answer.Append(length));
    }

    private void Append(ulong number)
    {
        int before = _answer.Length;
        _ = Utf8Formatter.TryFormat(number, _answer.Append(MaxNumber), out int written);
        _answer.Truncate(before + written);
    }

    private void Append(DateTime time)
    {
        int before = _answer.Length;
        _ = time.TryFormat(_answer.Append(MaxTime), out int written, "yyyy-MM-ddTHH:mm:ss.FFFFFFFK", System.Globalization.CultureInfo.InvariantCulture);
        _answer.Truncate(before + written);
    }
}
