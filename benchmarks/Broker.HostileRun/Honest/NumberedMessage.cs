using System.Buffers.Binary;

namespace Broker.HostileRun.Honest;

/// <summary>A message with a mark, its number and the time when it was sent.</summary>
internal static class NumberedMessage
{
    public const int Size = 64;

    private const ulong Mark = 0x686F_6E65_7374_2121;

    public static void Write(Span<byte> message, long number, long timestamp)
    {
        BinaryPrimitives.WriteUInt64BigEndian(message, Mark);
        BinaryPrimitives.WriteInt64BigEndian(message[8..], number);
        BinaryPrimitives.WriteInt64BigEndian(message[16..], timestamp);
    }

    /// <summary>Returns false if the message has another sender.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out long number, out long timestamp)
    {
        bool isOurs = message.Length == Size && BinaryPrimitives.ReadUInt64BigEndian(message) == Mark;
        number = isOurs ? BinaryPrimitives.ReadInt64BigEndian(message[8..]) : 0;
        timestamp = isOurs ? BinaryPrimitives.ReadInt64BigEndian(message[16..]) : 0;
        return isOurs;
    }
}
