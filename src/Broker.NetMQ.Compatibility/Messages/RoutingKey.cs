namespace NetMQ;

/// <summary>The routing id by which a ROUTER socket knows a peer.</summary>
public struct RoutingKey : IEquatable<RoutingKey>, IEquatable<byte[]>
{
    /// <summary>Uses an array, which must not change.</summary>
    public RoutingKey(byte[] array) => Bytes = array;

    /// <summary>Decodes an id from Base64.</summary>
    public RoutingKey(string b64) => Bytes = Convert.FromBase64String(b64);

    /// <summary>Makes an id of eight bytes, with the most significant byte first.</summary>
    public RoutingKey(long value) => Bytes = NetworkOrderBitsConverter.GetBytes(value);

    internal byte[] Bytes { get; }

    /// <inheritdoc/>
    public override readonly bool Equals(object? obj) => obj switch
    {
        RoutingKey key => Equals(key),
        byte[] bytes => Equals(bytes),
        _ => false,
    };

    /// <summary>Whether the id has the same bytes as an array.</summary>
    public readonly bool Equals(byte[]? x) => x is not null && Bytes.AsSpan().SequenceEqual(x);

    /// <summary>Whether two ids have the same bytes.</summary>
    public readonly bool Equals(RoutingKey x) => Equals(x.Bytes);

    /// <inheritdoc/>
    public override readonly int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(Bytes);
        return hash.ToHashCode();
    }

    /// <summary>Returns the id in Base64.</summary>
    public override readonly string ToString() => Convert.ToBase64String(Bytes);
}
