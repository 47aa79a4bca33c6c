using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The two forms of a key of CURVE: 32 bytes, and 40 characters of Z85.</summary>
internal static class CertificateKeys
{
    internal const int Size = 32;

    /// <exception cref="ArgumentException">The key does not have 32 bytes.</exception>
    internal static void Require(byte[] key, string name)
    {
        ArgumentNullException.ThrowIfNull(key, name);
        if (key.Length != Size)
        {
            throw new ArgumentException($"A key of CURVE has {Size} bytes, and not {key.Length}.", name);
        }
    }

    /// <exception cref="ArgumentException">The text is not 40 characters of Z85. The message has no text.</exception>
    internal static byte[] Parse(string key, string name)
    {
        ArgumentNullException.ThrowIfNull(key, name);
        return CurveKey.TryParse(key, out CurveKey? parsed)
            ? parsed.Octets.ToArray()
            : throw new ArgumentException("A key of CURVE has 40 characters of Z85.", name);
    }

    internal static string Format(byte[] key) => CurveKey.From(key).ToString();
}
