using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

internal sealed partial class ClientReceiving
{
    /// <summary>The parser's handler for an authenticated client. It calls the parts of the session directly.</summary>
    private readonly struct Operations(ClientReceiving receiving) : IClientOperationHandler
    {
        private readonly ClientPublishing _publishing = receiving._publishing;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool OnPublish(scoped PublishOperation operation)
        {
            ClientPublishing publishing = _publishing;
            return publishing.FindRoute(operation, out bool isSame) is { } route
                ? publishing.Publish(operation, route, isSame)
                : publishing.PublishUncached(operation);
        }

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
        {
            receiving._publisher.EndBatch();
            receiving._barrier.OnChange();
            receiving._subscriptions.Subscribe(subject, queue, sid);
            return receiving._channel.MayContinue;
        }

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max)
        {
            receiving._publisher.EndBatch();
            receiving._barrier.OnChange();
            receiving._subscriptions.Unsubscribe(sid, max);
            return receiving._channel.MayContinue;
        }

        public bool OnConnect(ReadOnlySpan<byte> json)
        {
            receiving._publisher.EndBatch();
            return receiving.Connect(json);
        }

        public bool OnPing()
        {
            if (!receiving._barrier.TryPass())
            {
                return false;
            }

            receiving._channel.Pong();
            return true;
        }

        public bool OnPong()
        {
            receiving._liveness.OnPong();
            return true;
        }

        public bool OnOk() => receiving._channel.MayContinue;

        public bool OnInfo(ReadOnlySpan<byte> json)
        {
            ServerOnlyOperations.OnInfo(receiving._channel, json);
            return receiving._channel.MayContinue;
        }

        public bool OnError(ReadOnlySpan<byte> text)
        {
            ServerOnlyOperations.OnError(receiving._channel, text);
            return receiving._channel.MayContinue;
        }
    }
}
