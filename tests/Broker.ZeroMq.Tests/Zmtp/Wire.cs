using System.Buffers.Binary;
using System.Text;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Builds octets without the writers under test.</summary>
internal static class Wire
{
    public static byte[] Hex(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));

    public static byte[] Join(params byte[][] parts) => [.. parts.SelectMany(part => part)];

    public static byte[] Ascii(string text) => Encoding.Latin1.GetBytes(text);

    public static byte[] Frame(byte flags, params byte[] body) => (flags & 2) != 0
        ? [flags, .. Big64((ulong)body.Length), .. body]
        : [flags, checked((byte)body.Length), .. body];

    public static byte[] Message(params byte[][] frames)
        => Join([.. frames.Select((body, i) => Frame((byte)((i + 1 < frames.Length ? 1 : 0) | (body.Length > 255 ? 2 : 0)), body))]);

    public static byte[] Command(string name, params byte[] data)
    {
        byte[] body = [(byte)name.Length, .. Ascii(name), .. data];
        return Frame((byte)(body.Length > 255 ? 6 : 4), body);
    }

    public static byte[] Greeting(byte major = 3, byte minor = 1, string mechanism = "NULL")
    {
        byte[] greeting = new byte[64];
        greeting[0] = 0xFF;
        greeting[9] = 0x7F;
        greeting[10] = major;
        greeting[11] = minor;
        Ascii(mechanism).CopyTo(greeting, 12);
        return greeting;
    }

    public static byte[] Property(string name, params byte[] value)
        => [(byte)name.Length, .. Ascii(name), .. Big32((uint)value.Length), .. value];

    public static byte[] Ready(string socketType, params byte[][] more)
        => Command("READY", Join([Property("Socket-Type", Ascii(socketType)), .. more]));

    public static byte[] Filled(int length, byte value = (byte)'x')
    {
        byte[] body = new byte[length];
        body.AsSpan().Fill(value);
        return body;
    }

    public static byte[] Big64(ulong value)
    {
        byte[] octets = new byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(octets, value);
        return octets;
    }

    public static byte[] Big32(uint value)
    {
        byte[] octets = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(octets, value);
        return octets;
    }
}
