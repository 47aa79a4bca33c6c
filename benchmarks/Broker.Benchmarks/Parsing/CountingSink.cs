namespace Broker.Benchmarks.Parsing;

/// <summary>Uses its input just enough to keep the compiler from removing the work.</summary>
internal struct CountingSink : IPublishSink
{
    internal long Total { get; private set; }

    public void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> payload)
        => Total += 1 + subject.Length + replyTo.Length + payload.Length;
}
