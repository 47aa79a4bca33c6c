using Broker.Server.Collections;

namespace Broker.Server.Accounts;

/// <summary>One request that waits for answers from another account. Reused: the table's lock guards it.</summary>
internal sealed class PendingReply
{
    private ReusedBytes _reply;

    internal UInt128 Key { get; private set; }

    internal Account Exporter { get; private set; } = null!;

    internal ServiceResponse Response { get; private set; }

    internal long Lifetime { get; private set; }

    /// <summary>When it ends, in the loops' ticks.</summary>
    internal long Until { get; set; }

    internal PendingReply? Older { get; set; }

    internal PendingReply? Newer { get; set; }

    internal ReadOnlySpan<byte> Reply => _reply.Span;

    internal void Begin(UInt128 key, Account exporter, ReadOnlySpan<byte> reply, ServiceResponse response, long lifetime, long now)
    {
        _reply.Set(reply);
        Key = key;
        Exporter = exporter;
        Response = response;
        Lifetime = lifetime;
        Until = now + lifetime;
    }

    /// <summary>It waits no more, and is kept for another one.</summary>
    internal void End()
    {
        Exporter = null!;
        _reply.Clear(keepsMemory: true);
    }
}
