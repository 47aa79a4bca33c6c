using System.Text;

namespace Broker.Bridge.Tests.Mapping;

internal static class Codecs
{
    public static MappingOptions Options { get; } = new() { BridgeId = "bridge-1" };

    public static byte[] Latin1(string text) => Encoding.Latin1.GetBytes(text);

    public static string Encode(this TopicCodec codec, byte[] topic)
    {
        byte[] buffer = new byte[codec.MaxSubjectLength];
        int length = codec.Encode(topic, buffer, out _);
        return Encoding.Latin1.GetString(buffer.AsSpan(0, length));
    }

    public static string Encode(this TopicCodec codec, string topic) => codec.Encode(Latin1(topic));

    public static string Filter(this TopicCodec codec, ReadOnlySpan<byte> prefix)
    {
        byte[] buffer = new byte[codec.MaxSubjectLength];
        int length = codec.LowerPrefix(prefix, buffer);
        return Encoding.Latin1.GetString(buffer.AsSpan(0, length));
    }

    public static string Filter(this TopicCodec codec, string prefix) => codec.Filter(Latin1(prefix));

    public static (TopicDecoding Result, string Topic) Decode(this TopicCodec codec, string subject)
    {
        byte[] buffer = new byte[subject.Length];
        TopicDecoding result = codec.Decode(Latin1(subject), buffer, out int length);
        return (result, Encoding.Latin1.GetString(buffer.AsSpan(0, length)));
    }
}
