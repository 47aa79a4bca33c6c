namespace Broker.Client.Streams;

/// <summary>The digest of an object, as its description has it.</summary>
internal static class ObjectDigest
{
    private const string Prefix = "SHA-256=";

    internal static string Of(ReadOnlySpan<byte> hash) => Prefix + Base64(hash);

    /// <summary>Whether a digest is that of a content. Some clients leave out the padding.</summary>
    internal static bool IsOf(string digest, ReadOnlySpan<byte> hash)
        => digest.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase)
            && digest.AsSpan(Prefix.Length).TrimEnd('=').SequenceEqual(Base64(hash).AsSpan().TrimEnd('='));

    private static string Base64(ReadOnlySpan<byte> hash) => Convert.ToBase64String(hash).Replace('+', '-').Replace('/', '_');
}
