using System.Diagnostics;
using System.Text;
using Broker.Protocol;

namespace Broker.Client.Streams;

/// <summary>
/// Creates the spans of a client of streams according to OpenTelemetry's conventions for messaging. It exists only if
/// tracing is enabled. Callers check <see cref="HasListeners"/> first, so that nothing else happens without a listener.
/// </summary>
internal sealed class StreamsTracer : IDisposable
{
    /// <summary>The tag with the name of the stream.</summary>
    internal const string StreamTag = "broker.stream";

    private const string Parent = "traceparent";
    private const string State = "tracestate";

    private readonly ActivitySource _source = new(StreamsActivities.SourceName, typeof(StreamsTracer).Assembly.GetName().Version?.ToString(3));

    internal bool HasListeners => _source.HasListeners();

    public void Dispose() => _source.Dispose();

    /// <summary>Starts a span around a publish and makes it the current span.</summary>
    internal Activity? StartPublish(string subject, int size) => Start("publish", "send", ActivityKind.Producer, subject, size, default, new TagList());

    /// <summary>Starts a span for the handling of a message, as a child of the span that published it.</summary>
    internal Activity? StartProcess(string subject, ReadOnlySpan<byte> headers, int size, TagList tags)
        => Start("process", "process", ActivityKind.Consumer, subject, size, ContextOf(headers), tags);

    /// <summary>
    /// Returns the header block with the context of an activity. An invalid header block stays as it is, and the
    /// publisher refuses it.
    /// </summary>
    internal static ReadOnlyMemory<byte> Inject(Activity activity, ReadOnlyMemory<byte> headers)
    {
        if (activity is not { IdFormat: ActivityIdFormat.W3C, Id: { } id } || !(headers.IsEmpty || headers.Span.StartsWith(HeaderBlock.Version)))
        {
            return headers;
        }

        var all = new MessageHeaders(headers.Span) { [Parent] = id };
        all.Remove(State);
        if (activity.TraceStateString is { Length: > 0 } state && !state.AsSpan().ContainsAny('\r', '\n'))
        {
            all[State] = state;
        }

        return all.ToBlock();
    }

    internal static void Fail(Activity activity, Exception failure)
    {
        activity.SetTag("error.type", failure.GetType().FullName);
        activity.SetStatus(ActivityStatusCode.Error, failure.Message);
    }

    private static ActivityContext ContextOf(ReadOnlySpan<byte> headers)
    {
        if (headers.IsEmpty || !HeaderBlock.TryGet(headers, "traceparent"u8, out ReadOnlySpan<byte> parent))
        {
            return default;
        }

        string? state = HeaderBlock.TryGet(headers, "tracestate"u8, out ReadOnlySpan<byte> value) ? Encoding.UTF8.GetString(value) : null;
        return ActivityContext.TryParse(Encoding.UTF8.GetString(parent), state, isRemote: true, out ActivityContext context) ? context : default;
    }

    private Activity? Start(string operation, string type, ActivityKind kind, string subject, int size, ActivityContext parent, TagList tags)
    {
        tags.Add("messaging.system", "nats");
        tags.Add("messaging.operation.name", operation);
        tags.Add("messaging.operation.type", type);
        tags.Add("messaging.destination.name", subject);
        tags.Add("messaging.message.body.size", size);
        return _source.StartActivity($"{operation} {subject}", kind, parent, tags);
    }
}
