using System.Diagnostics;

namespace Broker.Bridge.Requests;

/// <summary>A slot of a <see cref="PendingRequests"/> table.</summary>
internal struct PendingRequest
{
    /// <summary>Where the answer goes: the encoded envelope of a ZeroMQ client, or a subject. Kept with the slot, and mostly longer than needed.</summary>
    internal byte[] Return;

    internal int ReturnLength;

    /// <summary>By which the client is known to the ROUTER. Not for requests of subjects.</summary>
    internal ReadOnlyMemory<byte> RoutingId;

    /// <summary>Whose request it is, or who works on it.</summary>
    internal object? Owner;

    /// <summary>The request as it was published, if it may have to be again: in the slot's own memory, or where it is large in the shared pool's.</summary>
    internal byte[]? Kept;

    /// <summary>Memory for small requests, which stays with the slot.</summary>
    internal byte[]? Own;

    /// <summary>What of that is the subject, and what is the header block; -1 for none.</summary>
    internal int SubjectLength;

    internal int HeaderLength;

    internal int KeptLength;

    /// <summary>Which use of the slot this is.</summary>
    internal uint Generation;

    /// <summary>The tick of its beginning.</summary>
    internal uint Epoch;

    /// <summary>What lasts as long as it, while somebody listens to spans.</summary>
    internal Activity? Span;

    /// <summary>Whether it waits to be published again.</summary>
    internal bool IsHeld;

    /// <summary>Whether it is in use.</summary>
    internal bool IsUsed;

    /// <summary>The one that came before, and the one that came after it; of a free slot the next free one.</summary>
    internal int Older;

    internal int Younger;

    internal readonly ReadOnlySpan<byte> ReturnSpan => Return.AsSpan(0, ReturnLength);
}
