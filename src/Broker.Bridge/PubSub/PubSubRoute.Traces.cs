using Broker.ZeroMq;

namespace Broker.Bridge;

// Passes the trace context on, if the options require it.
internal sealed partial class PubSubRoute
{
    private MapStatus PublishWithTrace(in ZmtpMessage message, LoopScratch scratch)
    {
        ReadOnlySpan<byte> context = TraceFrame.Find(message);
        if (context.IsEmpty)
        {
            return Publish(in message, scratch);
        }

        // The first part of the memory is for the mapping, the second for the mapping's headers with the trace line
        // added.
        int mapping = Mapper.ToSubjectScratch(message.EncodedSize);
        Span<byte> memory = scratch.Take(mapping + Mapper.HeaderBound(message.EncodedSize) + TraceContext.HeaderBytes);
        MapStatus status =
            Mapper.ToSubject(new TraceFrame.MessageFrames(message), memory[..mapping], out SubjectMessage mapped);
        if (status != MapStatus.Mapped)
        {
            return status;
        }

        Span<byte> headers = memory[mapping..];
        return Publish(
            mapped.Subject, headers[..TraceContext.AddTo(mapped.Headers, context, headers)], mapped.Payload, scratch);
    }
}
