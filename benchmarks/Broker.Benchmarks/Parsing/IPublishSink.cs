namespace Broker.Benchmarks.Parsing;

/// <summary>
/// The output of every compared parser. All parsers return the same spans, so that none does less work than another.
/// </summary>
internal interface IPublishSink
{
    void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> payload);
}
