using System.Diagnostics;
using System.Text;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>
/// Creates the spans of one bridge. ZeroMQ programs create no spans and ZeroMQ messages have no headers, so the
/// bridge's spans connect the steps before and after it. A bridge has a tracer only if its client enables tracing. The
/// tracer owns its source, and both end with the bridge. Callers check <see cref="HasListeners"/> first, so that a
/// bridge without listeners does no further work.
/// </summary>
internal sealed class BridgeTracer : IDisposable
{
    private const string Request = "request";
    private const string Publish = "publish";

    private readonly ActivitySource _source =
        new(BridgeActivities.SourceName, typeof(BridgeTracer).Assembly.GetName().Version?.ToString(3));

    internal bool HasListeners => _source.HasListeners();

    public void Dispose() => _source.Dispose();

    /// <summary>
    /// Starts the span of a publish for a message from a ZeroMQ program. This span begins a new trace.
    /// </summary>
    internal Activity? StartPublish(string subject, string route, int size)
        => Start(Publish, "nats", subject, route, size, default);

    /// <summary>
    /// Starts the span of a ZeroMQ client's request to a subject. The span begins a new trace and ends with the reply.
    /// </summary>
    internal Activity? StartRequest(string subject, string route, int size)
        => Start(Request, "nats", subject, route, size, default);

    /// <summary>
    /// Starts the span of a request to a ZeroMQ worker. The span ends with the reply. Its parent is the span that
    /// published the request.
    /// </summary>
    internal Activity? StartWork(string route, ReadOnlySpan<byte> headers, int size)
        => Start(Request, "zeromq", route, route, size, Read(headers));

    internal static void Fail(Activity? span, string type)
    {
        span?.SetTag("error.type", type);
        span?.SetStatus(ActivityStatusCode.Error);
    }

    /// <summary>Ends the span of a publish and records its status.</summary>
    internal static void End(Activity span, PublishStatus status)
    {
        if (status != PublishStatus.Accepted)
        {
            Fail(span, status.ToString());
        }

        End(span);
    }

    /// <summary>Ends a span that is not the current span, and keeps the current span.</summary>
    internal static void End(Activity span)
    {
        Activity? current = Activity.Current;
        span.Dispose();
        Activity.Current = current;
    }

    private Activity? Start(
        string operation, string system, string destination, string route, int size, ActivityContext parent)
    {
        // The thread of a loop still has the activity that was current when the thread was started. It is not a parent
        // of this span.
        Activity? current = Activity.Current;
        Activity.Current = null;
        try
        {
            var tags = new TagList
            {
                { "messaging.system", system },
                { "messaging.operation.name", operation },
                { "messaging.operation.type", "send" },
                { "messaging.destination.name", destination },
                { "messaging.message.body.size", size },
                { "broker.route", route },
            };
            return _source.StartActivity($"{operation} {destination}", ActivityKind.Producer, parent, tags);
        }
        finally
        {
            Activity.Current = current;
        }
    }

    private static ActivityContext Read(ReadOnlySpan<byte> headers)
    {
        ReadOnlySpan<byte> parent = TraceContext.Find(headers);
        if (parent.IsEmpty)
        {
            return default;
        }

        string? state = HeaderBlock.TryGet(headers, "tracestate"u8, out ReadOnlySpan<byte> value) ? Encoding.UTF8.GetString(value) : null;
        return ActivityContext.TryParse(Encoding.ASCII.GetString(parent), state, isRemote: true, out ActivityContext context) ? context : default;
    }
}
