using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Parsing;

namespace Broker.Client;

internal sealed partial class Link
{
    /// <summary>The parser's view of the link. Lives for one read, so that counting costs no memory access per message.</summary>
    private struct Operations(Link link) : IServerOperationHandler
    {
        private readonly Link _link = link;
        private readonly SubscriptionTable _subscriptions = link._core.Subscriber.Table;
        private readonly bool _ready = link._phase == Phase.Ready;
        private long _messages;
        private long _bytes;

        public bool OnMessage(in MessageOperation operation)
        {
            if (!_ready)
            {
                return Premature();
            }

            // None is found for what was on its way when its subscription ended.
            if (_subscriptions.Find(operation.Sid) is { } subscription)
            {
                _messages++;
                _bytes += operation.Payload.Length;
                subscription.Deliver(in operation);
            }

            return _link.Transport.IsOpen;
        }

        public bool OnInfo(ReadOnlySpan<byte> json) => _link.TakeInfo(json);

        public bool OnPing() => _link.TakePing();

        public bool OnPong()
        {
            // Who waits for it may look at queues and statistics, in which everything before it must be.
            _link._core.Subscriber.Batch.Flush();
            Count();
            return _link.TakePong();
        }

        public readonly bool OnOk() => true;

        public bool OnError(ReadOnlySpan<byte> text)
        {
            _link._core.Subscriber.Batch.Flush();
            return _link.TakeError(text);
        }

        internal void Count()
        {
            _link._core.CountInbound(_messages, _bytes);
            _messages = _bytes = 0;
        }

        // A server cannot have a message for subscriptions that it has not been told of, and those are sent after the first PONG.
        private readonly bool Premature()
        {
            if (_link._phase == Phase.Ready)
            {
                // The PONG lay in the same read, and the subscriptions have only just left.
                return true;
            }

            _link.Fail(new ProtocolViolationException("The server sent a message before the end of the handshake."));
            return false;
        }
    }
}
