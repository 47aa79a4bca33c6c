using System.Text;

namespace Broker.Protocol.Tests.Support;

internal static class Text
{
    internal static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    internal static string Of(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);

    /// <summary>A string of so many letters.</summary>
    internal static string Letters(int count) => new('x', count);
}
