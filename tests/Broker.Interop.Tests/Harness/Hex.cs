namespace Broker.Interop.Tests.Harness;

/// <summary>Converts bytes to and from the peers' notation: hexadecimal digits, or <c>-</c> for no bytes.</summary>
internal static class Hex
{
    public static string Encode(ReadOnlySpan<byte> bytes) => bytes.IsEmpty ? "-" : Convert.ToHexStringLower(bytes);

    public static byte[] Decode(string word) => word == "-" ? [] : Convert.FromHexString(word);
}
