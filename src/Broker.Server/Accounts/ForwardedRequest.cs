namespace Broker.Server;

/// <summary>
/// A request that waits for replies from another account. The objects are reused; the lock of
/// <see cref="ForwardedRequests"/> guards them.
/// </summary>
internal sealed class ForwardedRequest
{
    private ReusedBytes _reply;

    internal UInt128 Key { get; private set; }

    internal Account Exporter { get; private set; } = null!;

    internal ServiceResponse Response { get; private set; }

    internal long Lifetime { get; private set; }

    /// <summary>The tick of the loops at which the request expires.</summary>
    internal long ExpiresAt { get; set; }

    internal ForwardedRequest? Older { get; set; }

    internal ForwardedRequest? Newer { get; set; }

    internal ReadOnlySpan<byte> Reply => _reply.Span;

    internal void Set(
        UInt128 key, Account exporter, ReadOnlySpan<byte> reply, ServiceResponse response, long lifetime, long now)
    {
        _reply.Set(reply);
        Key = key;
        Exporter = exporter;
        Response = response;
        Lifetime = lifetime;
        ExpiresAt = now + lifetime;
    }

    /// <summary>Clears the object for reuse.</summary>
    internal void Clear()
    {
        Exporter = null!;
        _reply.Clear(keepsMemory: true);
    }
}
