using System.Diagnostics;
using System.Text;
using Broker.Client.Publishing;
using Broker.Protocol.Headers;

namespace Broker.Bridge.Tracing;

/// <summary>
/// The spans of one bridge: ZeroMQ programs make none, and their messages have no headers, so its own join what comes before to what comes
/// after. Made only for bridges whose client asks for it, and a source of its own, so that it ends with the bridge. Callers look at
/// <see cref="IsHeard"/> first: while nobody listens nothing else is done.
/// </summary>
internal sealed class BridgeTracer : IDisposable
{
    private const string Request = "request";
    private const string Publish = "publish";

    private readonly ActivitySource _source = new(BridgeActivities.SourceName, typeof(BridgeTracer).Assembly.GetName().Version?.ToString(3));

    internal bool IsHeard => _source.HasListeners();

    public void Dispose() => _source.Dispose();

    /// <summary>The publish of what a ZeroMQ program has sent. With it a trace begins.</summary>
    internal Activity? StartPublish(string subject, string route, int size) => Start(Publish, "nats", subject, route, size, default);

    /// <summary>A request of a ZeroMQ client on a subject, until its answer. With it a trace begins.</summary>
    internal Activity? StartRequest(string subject, string route, int size) => Start(Request, "nats", subject, route, size, default);

    /// <summary>What a ZeroMQ worker is asked, until its answer, below the span that the request was published in.</summary>
    internal Activity? StartWork(string route, ReadOnlySpan<byte> headers, int size) => Start(Request, "zeromq", route, route, size, Read(headers));

    internal static void Fail(Activity? span, string type)
    {
        span?.SetTag("error.type", type);
        span?.SetStatus(ActivityStatusCode.Error);
    }

    /// <summary>Ends the span of a publish.</summary>
    internal static void End(Activity span, PublishStatus status)
    {
        if (status != PublishStatus.Accepted)
        {
            Fail(span, status.ToString());
        }

        End(span);
    }

    /// <summary>Ends a span that is not the current one, and leaves that what it is.</summary>
    internal static void End(Activity span)
    {
        Activity? current = Activity.Current;
        span.Dispose();
        Activity.Current = current;
    }

    private Activity? Start(string operation, string system, string destination, string route, int size, ActivityContext parent)
    {
        // A loop's thread still has what was current where it was started, which is no parent of this.
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
        ReadOnlySpan<byte> parent = TraceContext.Of(headers);
        if (parent.IsEmpty)
        {
            return default;
        }

        string? state = HeaderBlock.TryGet(headers, "tracestate"u8, out ReadOnlySpan<byte> value) ? Encoding.UTF8.GetString(value) : null;
        return ActivityContext.TryParse(Encoding.ASCII.GetString(parent), state, isRemote: true, out ActivityContext context) ? context : default;
    }
}
