using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

internal sealed partial class ClientSession
{
    /// <summary>The parser's handler for an authenticated client. It calls the parts of the session directly.</summary>
    private readonly struct Operations(ClientSession session) : IClientOperationHandler
    {
        private readonly ClientPublishing _publishing = session._publishing;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool OnPublish(scoped PublishOperation operation) => _publishing.Publish(operation);

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
        {
            session._publisher.EndBatch();
            session._barrier.OnChange();
            session._subscriptions.Subscribe(subject, queue, sid);
            return session._channel.MayContinue;
        }

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max)
        {
            session._publisher.EndBatch();
            session._barrier.OnChange();
            session._subscriptions.Unsubscribe(sid, max);
            return session._channel.MayContinue;
        }

        public bool OnConnect(ReadOnlySpan<byte> json)
        {
            session._publisher.EndBatch();
            return session.Connect(json);
        }

        public bool OnPing()
        {
            if (!session._barrier.TryPass())
            {
                return false;
            }

            session._channel.Pong();
            return true;
        }

        public bool OnPong()
        {
            session._liveness.OnPong();
            return true;
        }

        public bool OnOk() => session._channel.MayContinue;

        public bool OnInfo(ReadOnlySpan<byte> json)
        {
            ServerOnlyOperations.OnInfo(session._channel, json);
            return session._channel.MayContinue;
        }

        public bool OnError(ReadOnlySpan<byte> text)
        {
            ServerOnlyOperations.OnError(session._channel, text);
            return session._channel.MayContinue;
        }
    }
}
