using Broker.Protocol;

namespace Broker.Benchmarks.Parsing;

/// <summary>Passes the operations of this project's parser to a sink.</summary>
internal struct SinkHandler<TSink>(TSink sink) : IClientOperationHandler
    where TSink : struct, IPublishSink
{
    internal TSink Sink = sink;

    public bool OnPublish(scoped PublishOperation operation)
    {
        Sink.Publish(operation.Subject, operation.ReplyTo, operation.Payload);
        return true;
    }

    // The streams contain only publishes. Any other operation must fail the comparison.
    public readonly bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => false;

    public readonly bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => false;

    public readonly bool OnConnect(ReadOnlySpan<byte> json) => false;

    public readonly bool OnPing() => false;

    public readonly bool OnPong() => false;

    public readonly bool OnOk() => false;

    public readonly bool OnInfo(ReadOnlySpan<byte> json) => false;

    public readonly bool OnError(ReadOnlySpan<byte> text) => false;
}
