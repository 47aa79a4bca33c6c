namespace Broker.Benchmarks.Parsing;

/// <summary>Uses what it is told as little as a compiler must be kept from leaving it out.</summary>
internal struct CountingSink : IPublishSink
{
    internal long Total { get; private set; }

    public void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> payload)
        => Total += 1 + subject.Length + replyTo.Length + payload.Length;
}
