using Broker.Protocol;

namespace Broker.Client;

internal sealed partial class Link
{
    /// <summary>
    /// Receives the operations from the parser. It exists for one read only, so that counting needs no memory access
    /// per message.
    /// </summary>
    private struct Operations(Link link) : IServerOperationHandler
    {
        private readonly Link _link = link;
        private readonly SubscriptionIdTable _subscriptions = link._core.Subscriber.Table;
        private readonly bool _ready = link._phase == Phase.Ready;
        private long _messages;
        private long _bytes;

        public bool OnMessage(in MessageOperation operation)
        {
            if (!_ready)
            {
                return Premature();
            }

            // No subscription is found if it ended while the message was on its way.
            if (_subscriptions.Find(operation.Sid) is { } subscription)
            {
                _messages++;
                _bytes += operation.Payload.Length;
                subscription.Deliver(in operation);
            }

            return _link.Transport.IsOpen;
        }

        public bool OnInfo(ReadOnlySpan<byte> json) => _link.ReceiveInfo(json);

        public bool OnPing() => _link.ReceivePing();

        public bool OnPong()
        {
            // Code that waits for this PONG may read queues and statistics, which must contain every message before it.
            _link._core.Subscriber.Batch.Flush();
            Count();
            return _link.ReceivePong();
        }

        public readonly bool OnOk() => true;

        public bool OnError(ReadOnlySpan<byte> text)
        {
            _link._core.Subscriber.Batch.Flush();
            return _link.ReceiveError(text);
        }

        internal void Count()
        {
            _link._core.CountInbound(_messages, _bytes);
            _messages = _bytes = 0;
        }

        // The client sends its subscriptions after the first PONG. Before that, the server knows no subscription, so it
        // cannot have a message for one.
        private readonly bool Premature()
        {
            if (_link._phase == Phase.Ready)
            {
                // The same read contained the PONG, and the subscriptions have just been sent.
                return true;
            }

            _link.Fail(new ProtocolViolationException("The server sent a message before the end of the handshake."));
            return false;
        }
    }
}
