using System.Text;

namespace Broker.Hosting.Tests.Telemetry;

/// <summary>Reads length-delimited fields of a protobuf message by their numbers: texts, bytes and messages.</summary>
internal static class ProtobufFields
{
    public static IEnumerable<ReadOnlyMemory<byte>> Of(ReadOnlyMemory<byte> message, int field)
    {
        var found = new List<ReadOnlyMemory<byte>>();
        for (int at = 0; at < message.Length;)
        {
            ulong key = Varint(message.Span, ref at);
            switch (key & 7)
            {
                case 0:
                    Varint(message.Span, ref at);
                    break;
                case 1:
                    at += 8;
                    break;
                case 2:
                    int length = checked((int)Varint(message.Span, ref at));
                    if ((int)(key >> 3) == field)
                    {
                        found.Add(message.Slice(at, length));
                    }

                    at += length;
                    break;
                case 5:
                    at += 4;
                    break;
                default:
                    throw new InvalidDataException($"a field of kind {key & 7}");
            }
        }

        return found;
    }

    public static string Text(ReadOnlyMemory<byte> message, int field) => Encoding.UTF8.GetString(Of(message, field).LastOrDefault().Span);

    public static string Hex(ReadOnlyMemory<byte> message, int field) => Convert.ToHexStringLower(Of(message, field).LastOrDefault().Span);

    private static ulong Varint(ReadOnlySpan<byte> bytes, ref int at)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte part = bytes[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
    }
}
