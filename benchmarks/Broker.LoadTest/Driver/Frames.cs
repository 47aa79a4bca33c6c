using System.Text;

namespace Broker.LoadTest.Driver;

/// <summary>Encodes frames before a measurement. Nothing here runs while the clock runs.</summary>
internal static class Frames
{
    public static byte[] Publish(string subject, ReadOnlySpan<byte> payload, string? reply = null)
        => WithPayload(reply is null ? $"PUB {subject} {payload.Length}\r\n" : $"PUB {subject} {reply} {payload.Length}\r\n", payload);

    public static byte[] Message(string subject, int sid, ReadOnlySpan<byte> payload, string? reply = null)
        => WithPayload(reply is null ? $"MSG {subject} {sid} {payload.Length}\r\n" : $"MSG {subject} {sid} {reply} {payload.Length}\r\n", payload);

    public static byte[] Subscribe(string subject, string? queue, int sid)
        => Encoding.ASCII.GetBytes(queue is null ? $"SUB {subject} {sid}\r\n" : $"SUB {subject} {queue} {sid}\r\n");

    private static byte[] WithPayload(string line, ReadOnlySpan<byte> payload)
        => [.. Encoding.ASCII.GetBytes(line), .. payload, .. Wire.Crlf];
}
