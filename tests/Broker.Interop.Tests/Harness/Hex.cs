namespace Broker.Interop.Tests.Harness;

/// <summary>Bytes in the peers' notation: hexadecimal, <c>-</c> for none.</summary>
internal static class Hex
{
    public static string Encode(ReadOnlySpan<byte> bytes) => bytes.IsEmpty ? "-" : Convert.ToHexStringLower(bytes);

    public static byte[] Decode(string word) => word == "-" ? [] : Convert.FromHexString(word);
}
