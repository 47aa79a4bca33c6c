namespace Broker.Streams;

internal sealed class SequencePair
{
    public ulong ConsumerSeq { get; init; }

    public ulong StreamSeq { get; init; }
}
