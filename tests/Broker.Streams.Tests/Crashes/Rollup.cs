namespace Broker.Streams.Tests.Crashes;

/// <summary>A message that replaces those of its subject before it.</summary>
internal sealed class Rollup(StreamModel model, string subject) : IStoreCompletion
{
    private ulong[] _replaced = [];

    public void Begin(ulong sequence)
    {
        _replaced = model.SequencesOf(subject, sequence);
        Array.ForEach(_replaced, model.BeginDelete);
    }

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        model.Ack(sequence);
        Array.ForEach(_replaced, model.EndDelete);
    }
}
