using Broker.Protocol;

namespace Broker.Leaf;

internal abstract partial class PeerSession
{
    /// <summary>Receives the operations from the parser. It exists for one read only.</summary>
    private struct Operations(PeerSession session) : ILeafOperationHandler
    {
        private readonly PeerSession _session = session;
        private long _messages;
        private long _bytes;
        private bool _hasInterestChanged;

        public bool OnMessage(in LeafMessage message)
        {
            if (!_session.IsReady)
            {
                _session.Fail("the remote sent a message before the end of the handshake");
                return false;
            }

            _messages++;
            _bytes += message.Payload.Length;
            ReadOnlySpan<byte> replyTo = message.ReplyTo;
            ReadOnlySpan<byte> stored = JetStreamMapping.TakeStoredSubject(ref replyTo);
            _session.Peer.Target.Publish(message.Subject, _session.ShowReply(replyTo), message.HeaderLength, message.Payload, message.QueueGroups, stored);
            return !_session.Peer.Target.IsWorkUsedUp && !_session.Peer.Target.IsDelivering;
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
            if (_messages != 0)
            {
                _session.Peer.Counters.CountReceived(_messages, _bytes);
            }

            if (_hasInterestChanged && _session.IsReady)
            {
                _session.Peer.OnRemoteInterestChanged();
            }
        }
    }
}
