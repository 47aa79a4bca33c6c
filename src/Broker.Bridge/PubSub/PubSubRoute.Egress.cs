using Broker.Bridge.Mapping;
using Broker.Client.Subscriptions;
using Broker.Transport;
using Broker.ZeroMq.Sockets;

namespace Broker.Bridge.PubSub;

// NATS → ZeroMQ. On the client's loop.
internal sealed partial class PubSubRoute
{
    private void OnSubjectMessage(in MessageView message)
    {
        if (!_interest.ShouldDeliver(((Held)message.Subscription.State!).Id))
        {
            return;
        }

        EventLoop loop = Loop;
        LoopScratch scratch = _scratch[loop.Index];
        scratch.Received++;
        MapStatus status = Mapper.FromSubject(
            message.Subject,
            message.Headers,
            message.Body,
            scratch.Take(MessageMapper.FromSubjectScratch(message.Subject.Length, message.Headers.Length)),
            out ZeroMqMessage mapped);
        if (status != MapStatus.Mapped)
        {
            Report(status);
            return;
        }

        var encoder = new MappedMessageEncoder(mapped);
        ReadOnlySpan<byte> kept = default;
        if (_lastValues is not null)
        {
            kept = _lastValues.Keep(mapped.FirstFrame, ref encoder);
        }

        scratch.MessagesOut += kept.IsEmpty
            ? _egress.Publish(loop, mapped.FirstFrame, ref encoder)
            : _egress.PublishEncoded(loop, mapped.FirstFrame, kept);
    }

    // On the SUB's loop.
    private void OnSubscribed(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _replays!.Begin(peer, prefix);
}
