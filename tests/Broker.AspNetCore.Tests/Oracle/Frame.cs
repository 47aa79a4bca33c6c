using System.Buffers.Binary;
using System.IO.Compression;
using System.Text;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>Builds the bytes of valid and invalid WebSocket frames (RFC 6455, section 5.2).</summary>
internal static class Frame
{
    internal const int Continuation = 0;
    internal const int Text = 1;
    internal const int Binary = 2;
    internal const int Close = 8;
    internal const int Ping = 9;
    internal const int Pong = 10;
    internal const int Compressed = 4;

    private static readonly byte[] Mask = [0x11, 0x22, 0x33, 0x44];

    internal static byte[] Of(int operation, string payload, bool last = true, bool masked = true, int reserved = 0)
        => Of(operation, Encoding.Latin1.GetBytes(payload), last, masked, reserved);

    internal static byte[] Of(int operation, byte[] payload, bool last = true, bool masked = true, int reserved = 0)
    {
        var frame = new List<byte> { (byte)((last ? 0x80 : 0) | (reserved << 4) | operation) };
        int mask = masked ? 0x80 : 0;
        if (payload.Length < 126)
        {
            frame.Add((byte)(mask | payload.Length));
        }
        else
        {
            frame.Add((byte)(mask | (payload.Length < 65_536 ? 126 : 127)));
            byte[] length = new byte[8];
            BinaryPrimitives.WriteInt64BigEndian(length, payload.Length);
            frame.AddRange(payload.Length < 65_536 ? length[6..] : length);
        }

        if (masked)
        {
            frame.AddRange(Mask);
        }

        frame.AddRange(payload.Select((b, i) => masked ? (byte)(b ^ Mask[i % 4]) : b));
        return [.. frame];
    }

    internal static byte[] Closing(int status, string reason = "")
        => Of(Close, [(byte)(status >> 8), (byte)status, .. Encoding.Latin1.GetBytes(reason)]);

    /// <summary>
    /// Compresses a message as permessage-deflate does: without the four bytes at the end of each flush (RFC 7692,
    /// section 7.2.1).
    /// </summary>
    internal static byte[] Deflate(string payload)
    {
        using var bytes = new MemoryStream();
        using (var deflate = new DeflateStream(bytes, CompressionLevel.Optimal, leaveOpen: true))
        {
            deflate.Write(Encoding.Latin1.GetBytes(payload));
            deflate.Flush();
            return bytes.ToArray()[..^4];
        }
    }

    internal static byte[] Inflate(byte[] payload)
    {
        using var source = new MemoryStream([.. payload, 0, 0, 0xFF, 0xFF, 1, 0, 0, 0xFF, 0xFF]);
        using var inflate = new DeflateStream(source, CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        inflate.CopyTo(bytes);
        return bytes.ToArray();
    }
}
