using System.Buffers.Binary;
using System.Text;

namespace Broker.HostileRun.Attacks;

/// <summary>Bytes of ZMTP 3.1.</summary>
internal static class Zmtp
{
    public const int GreetingSize = 64;
    public const byte Command = 4;
    public const byte More = 1;
    public const byte Long = 2;

    public static byte[] Greeting(string mechanism = "NULL", bool asServer = false)
    {
        byte[] greeting = new byte[GreetingSize];
        greeting[0] = 0xFF;
        greeting[9] = 0x7F;
        greeting[10] = 3;
        greeting[11] = 1;
        Encoding.ASCII.GetBytes(mechanism, greeting.AsSpan(12));
        greeting[32] = asServer ? (byte)1 : (byte)0;
        return greeting;
    }

    /// <summary>The whole handshake of a socket of this type without security.</summary>
    public static byte[] Handshake(string socketType)
        => [.. Greeting(), .. Frame(Command, [5, .. "READY"u8, 11, .. "Socket-Type"u8, 0, 0, 0, (byte)socketType.Length, .. Encoding.ASCII.GetBytes(socketType)])];

    public static byte[] Subscribe(string prefix) => Frame(Command, [9, .. "SUBSCRIBE"u8, .. Encoding.ASCII.GetBytes(prefix)]);

    public static byte[] Frame(byte flags, ReadOnlySpan<byte> body)
        => body.Length < 256 ? [flags, (byte)body.Length, .. body] : [.. LongHead(flags, body.Length), .. body];

    /// <summary>The head of a frame that announces any size.</summary>
    public static byte[] LongHead(byte flags, long size)
    {
        byte[] head = new byte[9];
        head[0] = (byte)(flags | Long);
        BinaryPrimitives.WriteInt64BigEndian(head.AsSpan(1), size);
        return head;
    }
}
