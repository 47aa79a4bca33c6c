namespace Broker.ZeroMq;

/// <summary>
/// The names of groups (RFC 48) as prefixes. A group matches only itself, so its prefix begins with its length.
/// </summary>
internal static class ZmtpGroup
{
    /// <summary>The most bytes of a group.</summary>
    public const int MaxLength = byte.MaxValue;

    /// <summary>The most bytes of a group's prefix.</summary>
    public const int MaxPrefix = 1 + MaxLength;

    /// <summary>Writes the prefix of a group and returns it; empty if the group is too long.</summary>
    public static ReadOnlySpan<byte> ToPrefix(ReadOnlySpan<byte> group, Span<byte> destination)
    {
        if (group.Length > MaxLength)
        {
            return default;
        }

        destination[0] = (byte)group.Length;
        group.CopyTo(destination[1..]);
        return destination[..(1 + group.Length)];
    }

    /// <summary>The group of a prefix.</summary>
    public static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> prefix) => prefix[1..];
}
