namespace Broker.Benchmarks.Parsing;

/// <summary>What every parser under comparison tells: the same spans, so that none does less than another.</summary>
internal interface IPublishSink
{
    void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> payload);
}
