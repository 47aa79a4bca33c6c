using System.Diagnostics;

namespace Broker.Bridge;

/// <summary>One slot of a <see cref="PendingRequests"/> table.</summary>
internal struct PendingRequest
{
    /// <summary>
    /// Where the reply goes: the encoded envelope of a ZeroMQ client, or a subject. The array stays with the slot and
    /// may be longer.
    /// </summary>
    internal byte[] ReplyTarget;

    internal int ReplyTargetLength;

    /// <summary>
    /// The <see cref="RequestClient"/> that sent the request, or the <see cref="Broker.ZeroMq.Loops.BalancedPeer"/>
    /// that handles it.
    /// </summary>
    internal object? Owner;

    /// <summary>
    /// The published request, if it may have to be published again. Small requests use <see cref="OwnBuffer"/>, large
    /// ones an array of the shared pool.
    /// </summary>
    internal byte[]? Kept;

    /// <summary>The array for small requests. It stays with the slot.</summary>
    internal byte[]? OwnBuffer;

    /// <summary>The length of the subject in <see cref="Kept"/>; 0 if all requests have the same subject.</summary>
    internal int SubjectLength;

    /// <summary>The length of the header block in <see cref="Kept"/>; -1 for none.</summary>
    internal int HeaderLength;

    internal int KeptLength;

    /// <summary>
    /// Counts the uses of the slot, so that a late reply does not match a newer request in the same slot.
    /// </summary>
    internal uint Generation;

    /// <summary>
    /// The secret part of the reply subject. Only the receivers of the request know it, so nobody else can reply.
    /// </summary>
    internal ulong Secret;

    /// <summary>The size of the request's frames, which count as on their way until the request is removed.</summary>
    internal int Size;

    /// <summary>The tick of the <see cref="RequestClock"/> at which the request was added.</summary>
    internal uint Epoch;

    /// <summary>The span of the request, if a listener collects spans. It ends with the request.</summary>
    internal Activity? Span;

    /// <summary>Whether the request waits to be published again.</summary>
    internal bool IsAwaitingRetry;

    /// <summary>Whether the slot contains a pending request.</summary>
    internal bool IsUsed;

    /// <summary>The slot of the next older request.</summary>
    internal int Older;

    /// <summary>The slot of the next newer request. In a free slot: the next free slot.</summary>
    internal int Younger;

    internal readonly ReadOnlySpan<byte> ReplyTargetSpan => ReplyTarget.AsSpan(0, ReplyTargetLength);
}
