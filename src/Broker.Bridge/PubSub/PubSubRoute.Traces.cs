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

        // For the mapping, and for its headers with one more.
        int mapping = Mapper.ToSubjectScratch(message.EncodedSize);
        Span<byte> memory = scratch.Take(mapping + Mapper.HeaderBound(message.EncodedSize) + TraceContext.HeaderBytes);
        MapStatus status = Mapper.ToSubject(new TraceFrame.Others(message), memory[..mapping], out SubjectMessage mapped);
        if (status != MapStatus.Mapped)
        {
            return status;
        }

        Span<byte> headers = memory[mapping..];
        return Publish(mapped.Subject, headers[..TraceContext.AddTo(mapped.Headers, context, headers)], mapped.Payload, scratch);
    }
}
