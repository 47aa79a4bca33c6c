using System.Diagnostics;
using System.Runtime.CompilerServices;
using Broker.Client;
using Broker.ZeroMq;

namespace Broker.Bridge;

// Publishes requests while a listener collects spans: each request has a span, and its headers contain the span's
// context.
internal sealed partial class RequestRoute
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PublishStatus PublishTraced(BridgeTracer tracer, int slot, ZmtpMessage body, ReadOnlySpan<byte> replyTo)
    {
        Activity? span = tracer.StartRequest(_options.Subject ?? _options.Topics!.Prefix + ".>", Name, body.BodySize);
        Span<byte> memory = stackalloc byte[TraceContext.Length];
        ReadOnlySpan<byte> trace = TraceContext.Write(span?.Id, memory);
        PublishStatus status = Publish(slot, body, replyTo, trace);
        if (!trace.IsEmpty && status is (PublishStatus.PayloadTooLarge or PublishStatus.HeadersNotSupported))
        {
            // Publishes the request without the trace context, as it would be without a listener.
            status = Publish(slot, body, replyTo, default);
        }

        if (status == PublishStatus.Accepted)
        {
            _pending[slot].Span = span;
        }
        else if (span is not null)
        {
            BridgeTracer.End(span, status);
        }

        return status;
    }
}
