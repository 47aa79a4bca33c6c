using Broker.Bridge.Mapping;
using Broker.Bridge.Tracing;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.PubSub;

// Traces that go on across the route, where its options ask for it.
internal sealed partial class PubSubRoute
{
    private MapStatus PublishWithTrace(in ZmtpMessage message, LoopScratch scratch)
    {
        ReadOnlySpan<byte> context = TraceFrame.Of(message);
        if (context.IsEmpty)
        {
            return Publish(in message, scratch);
        }

        // One half for the mapping, one for its headers with one more.
        int half = Mapper.ToSubjectScratch(message.EncodedSize);
        Span<byte> memory = scratch.Take((2 * half) + TraceContext.HeaderBytes);
        MapStatus status = Mapper.ToSubject(new TraceFrame.Others(message), memory[..half], out SubjectMessage mapped);
        if (status != MapStatus.Mapped)
        {
            return status;
        }

        Span<byte> headers = memory[half..];
        return Publish(mapped.Subject, headers[..TraceContext.AddTo(mapped.Headers, context, headers)], mapped.Payload, scratch);
    }
}
