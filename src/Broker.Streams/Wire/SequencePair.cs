namespace Broker.Streams;

internal sealed class SequencePair
{
    public ulong ConsumerSeq { get; init; }

    public ulong StreamSeq { get; init; }

    /// <summary>The time of the last change since the start of the server, in UTC; null for none.</summary>
    public DateTime? LastActive { get; init; }
}
