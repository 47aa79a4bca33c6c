using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>Writes a stored message as the answer to a direct read: as it is, with its place in the headers.</summary>
internal static class DirectAnswer
{
    /// <summary>Publishes the answer.</summary>
    /// <param name="responder">The publisher.</param>
    /// <param name="reply">The reply subject.</param>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="record">The record of the message.</param>
    /// <param name="more">More lines of headers.</param>
    internal static void Publish(Responder responder, byte[] reply, string stream, ReadOnlySpan<byte> record, string more = "")
    {
        var head = RecordHead.Read(record);
        ReadOnlySpan<byte> headers = head.HeadersOf(record);
        ReadOnlySpan<byte> own = headers.EndsWith("\r\n\r\n"u8) ? headers[..^2] : "NATS/1.0\r\n"u8;
        var time = new DateTime(head.Time, DateTimeKind.Utc);
        byte[] place = Encoding.UTF8.GetBytes(string.Create(
            CultureInfo.InvariantCulture,
            $"Nats-Stream: {stream}\r\nNats-Subject: {Encoding.UTF8.GetString(head.SubjectOf(record))}\r\nNats-Sequence: {head.Sequence}\r\nNats-Time-Stamp: {time:yyyy-MM-ddTHH:mm:ss.FFFFFFFK}\r\n{more}\r\n"));
        responder.Publish(reply, [.. own, .. place, .. head.BodyOf(record)], own.Length + place.Length);
    }
}
