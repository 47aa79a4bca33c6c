using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Logs each operation before it is handled. <see cref="Authentication"/> logs CONNECT, because a client sends CONNECT
/// before it is authenticated.
/// </summary>
internal readonly struct TracedOperations<THandler>(THandler operations, RoutingPublisher publisher, ProtocolTrace trace)
    : IClientOperationHandler
    where THandler : struct, IClientOperationHandler
{
    public bool OnPublish(scoped PublishOperation operation)
    {
        if (!publisher.Routes.HasDeferred)
        {
            trace.Publish(operation);
        }

        return operations.OnPublish(operation);
    }

    public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
    {
        trace.Subscribe(subject, queue, sid);
        return operations.OnSubscribe(subject, queue, sid);
    }

    public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max)
    {
        trace.Unsubscribe(sid, max);
        return operations.OnUnsubscribe(sid, max);
    }

    public bool OnConnect(ReadOnlySpan<byte> json) => operations.OnConnect(json);

    public bool OnPing()
    {
        trace.In("PING");
        return operations.OnPing();
    }

    public bool OnPong()
    {
        trace.In("PONG");
        return operations.OnPong();
    }

    // nats-server does not log these operations either.
    public bool OnOk() => operations.OnOk();

    public bool OnInfo(ReadOnlySpan<byte> json) => operations.OnInfo(json);

    public bool OnError(ReadOnlySpan<byte> text) => operations.OnError(text);
}
