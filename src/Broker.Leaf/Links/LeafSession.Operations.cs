using Broker.Protocol;

namespace Broker.Leaf;

internal sealed partial class LeafSession
{
    /// <summary>Receives the operations from the parser. It exists for one read only.</summary>
    private struct Operations(LeafSession session) : ILeafOperationHandler
    {
        private readonly LeafSession _session = session;
        private readonly LeafLink _link = session.Link;
        private long _messages;
        private long _bytes;
        private bool _hasInterestChanged;

        public bool OnMessage(in LeafMessage message)
        {
            if (_session._phase != Phase.Ready)
            {
                _session.Fail("the remote sent a message before the end of the handshake");
                return false;
            }

            _messages++;
            _bytes += message.Payload.Length;
            ReadOnlySpan<byte> replyTo = message.ReplyTo;
            ReadOnlySpan<byte> stored = JetStreamMapping.TakeStoredSubject(ref replyTo);
            _link.Target.Publish(message.Subject, replyTo, message.HeaderLength, message.Payload, message.QueueGroups, stored);
            return true;
        }

        public bool OnSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight)
        {
            _hasInterestChanged = true;
            return _session.ReceiveSubscribe(filter, queueGroup, weight);
        }

        public bool OnUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup)
        {
            _hasInterestChanged = true;
            return _session.ReceiveUnsubscribe(filter, queueGroup);
        }

        public readonly bool OnInfo(ReadOnlySpan<byte> json) => _session.ReceiveInfo(json);

        public readonly bool OnPing() => _session.ReceivePing();

        public readonly bool OnPong() => true;

        public readonly bool OnError(ReadOnlySpan<byte> text) => _session.ReceiveError(text);

        internal readonly void Count()
        {
            _link.Counters.CountReceived(_messages, _bytes);
            if (_hasInterestChanged)
            {
                _link.OnRemoteInterestChanged();
            }
        }
    }
}
