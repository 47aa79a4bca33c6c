using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Broker.Bridge;

/// <summary>Creates the spans of the messages that an ingress publishes.</summary>
/// <param name="tracer">The tracer of the bridge.</param>
/// <param name="subject">The subject of the pipeline.</param>
/// <param name="route">The name of the route.</param>
internal sealed class IngressSpans(BridgeTracer tracer, string subject, string route)
{
    internal bool HasListeners => tracer.HasListeners;

    internal static IngressSpans? Create(BridgeTracer? tracer, string subject, string route)
        => tracer is null ? null : new IngressSpans(tracer, subject, route);

    /// <summary>Starts the span of one message and adds its trace context to the headers.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Activity? Begin(HeaderBuilder headers, int size)
    {
        Activity? span = tracer.StartPublish(subject, route, size);
        Span<byte> memory = stackalloc byte[TraceContext.Length];
        ReadOnlySpan<byte> trace = TraceContext.Write(span?.Id, memory);
        if (!trace.IsEmpty)
        {
            headers.Line(TraceContext.LineStart, trace);
        }

        return span;
    }
}
