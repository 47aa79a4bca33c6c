using System.Buffers.Binary;

namespace Broker.HostileRun.Attacks;

/// <summary>Bytes of a WebSocket client.</summary>
internal static class WebSocketBytes
{
    public const byte Binary = 0x82;

    public const string Upgrade = "GET / HTTP/1.1\r\nHost: broker\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

    /// <summary>A masked frame. Its length may be other than that of the payload.</summary>
    public static byte[] Frame(byte first, ReadOnlySpan<byte> payload, ulong? length = null)
    {
        const byte Masked = 0x80;
        ulong said = length ?? (ulong)payload.Length;
        byte[] head = said switch
        {
            < 126 => [first, (byte)(Masked | said)],
            <= ushort.MaxValue => [first, Masked | 126, (byte)(said >> 8), (byte)said],
            _ => [first, Masked | 127, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        if (head.Length > 4)
        {
            BinaryPrimitives.WriteUInt64BigEndian(head.AsSpan(2), said);
        }

        // A mask of zeros leaves the payload as it is.
        return [.. head, 0, 0, 0, 0, .. payload];
    }
}
