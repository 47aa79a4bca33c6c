using System.Diagnostics.CodeAnalysis;

namespace Broker.ZeroMq;

/// <summary>A public key of CURVE: 32 octets, written as 40 characters of Z85 (RFC 32). Immutable.</summary>
public sealed class CurveKey : IEquatable<CurveKey>
{
    private readonly byte[] _octets;

    internal CurveKey(ReadOnlySpan<byte> octets) => _octets = octets.ToArray();

    /// <summary>The 32 octets.</summary>
    public ReadOnlySpan<byte> Octets => _octets;

    /// <summary>Parses a key.</summary>
    /// <exception cref="FormatException">The text is not 40 characters of Z85.</exception>
    public static CurveKey Parse(string text)
        => TryParse(text, out CurveKey? key) ? key : throw new FormatException("A CURVE key has 40 characters of Z85.");

    /// <summary>Parses a key. Returns false if the text is not 40 characters of Z85.</summary>
    public static bool TryParse(string? text, [NotNullWhen(true)] out CurveKey? key)
    {
        key = Z85.DecodeOrNull(text, CurveBoxes.KeySize) is { } octets ? new CurveKey(octets) : null;
        return key is not null;
    }

    /// <summary>Creates a key from its octets.</summary>
    /// <exception cref="ArgumentException">There are not exactly 32 octets.</exception>
    public static CurveKey From(ReadOnlySpan<byte> octets)
        => octets.Length == CurveBoxes.KeySize
            ? new CurveKey(octets)
            : throw new ArgumentException("A CURVE key has 32 octets.", nameof(octets));

    /// <inheritdoc/>
    public bool Equals(CurveKey? other) => other is not null && _octets.AsSpan().SequenceEqual(other._octets);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CurveKey);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(_octets);
        return hash.ToHashCode();
    }

    /// <summary>Returns the 40 characters of Z85.</summary>
    public override string ToString() => Z85.Encode(_octets);
}
