using System.Runtime.CompilerServices;
using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Server.Delivery;
using Broker.Server.Routing;
using Broker.Server.Tracing;

namespace Broker.Server.Sessions;

// The protocol in the log. A client that is not traced pays one branch for each read, and nothing for each message: a traced one
// has a handler of its own, and its target is one that is watched.
internal sealed partial class ClientSession
{
    private ProtocolTrace? _trace;

    void IConnectionOwner.OnTaken(Subscription subscription, Route route, in Message message)
        => _trace?.Deliver(subscription, route, in message, _target.TakesHeaders);

    // Again whenever the options or the level of the log may have changed.
    private void ApplyTracing()
    {
        if (!_server.Log.IsTrace)
        {
            _trace = null;
        }
        else if (_trace is null)
        {
            _trace = _server.Log.TraceOf(Id, RemoteEndPoint);
            _trace.Name(_connect?.Name);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int ParseTraced(ReadOnlySpan<byte> bytes, ProtocolTrace trace, ref int needed, out ProtocolError error)
    {
        var handler = new TracedOperations(new Operations(this), trace);
        return _parser.Parse(bytes, ref handler, ref needed, out error);
    }

    /// <summary>Writes each operation to the log before it is done. CONNECT is written where it is read, also before admission.</summary>
    private readonly struct TracedOperations(Operations operations, ProtocolTrace trace) : IClientOperationHandler
    {
        public bool OnPublish(scoped PublishOperation operation)
        {
            trace.Publish(operation);
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
    }
}
