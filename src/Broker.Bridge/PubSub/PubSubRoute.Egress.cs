using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Bridge;

// Passes messages from NATS to ZeroMQ, on the client's loop.
internal sealed partial class PubSubRoute
{
    private void OnSubjectMessage(in MessageView message)
    {
        if (!_subscriptions.ShouldDeliver(in message))
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
            out FrameReader mapped);
        if (status != MapStatus.Mapped)
        {
            Report(status);
            return;
        }

        // A message of one frame gets no trace frame, because a second frame would make it a message of topic and body.
        ReadOnlySpan<byte> context = _options.TraceFrame && mapped.FrameCount > 1
            ? TraceContext.Find(message.Headers)
            : default;
        if (context.IsEmpty)
        {
            var encoder = new MappedMessageEncoder(mapped);
            Send(loop, scratch, mapped.FirstFrame, ref encoder);
        }
        else
        {
            var encoder = new TraceFrame.Encoder(mapped, context);
            Send(loop, scratch, mapped.FirstFrame, ref encoder);
        }
    }

    private void Send<TMessage>(EventLoop loop, LoopScratch scratch, ReadOnlySpan<byte> topic, ref TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        ReadOnlySpan<byte> kept = default;
        if (_lastValues is not null)
        {
            kept = _lastValues.Keep(topic, ref message);
        }

        scratch.MessagesOut += kept.IsEmpty
            ? _egress.Publish(loop, topic, ref message)
            : _egress.PublishEncoded(loop, topic, kept);
    }

    // Called on the SUB's loop.
    private void OnSubscribed(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => _replays!.Begin(peer, prefix);
}
