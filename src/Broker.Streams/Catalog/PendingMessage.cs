using System.Runtime.InteropServices;

namespace Broker.Streams;

/// <summary>A message that a consumer has delivered and that is not acknowledged.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct PendingMessage
{
    internal ulong Sequence { get; init; }

    /// <summary>The number of the first delivery of this message.</summary>
    internal ulong ConsumerSequence { get; init; }

    internal int Deliveries { get; set; }

    /// <summary>The time of the next delivery in ticks of UTC, if it is not acknowledged before.</summary>
    internal long Deadline { get; set; }

    /// <summary>Whether the message waits for its next delivery now.</summary>
    internal bool IsReady { get; set; }

    /// <summary>Whether the message was acknowledged. Its entry is removed later.</summary>
    internal bool IsGone { get; set; }
}
