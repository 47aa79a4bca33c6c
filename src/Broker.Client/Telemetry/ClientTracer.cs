using System.Diagnostics;
using System.Text;

namespace Broker.Client;

/// <summary>
/// Creates the spans of one connection according to OpenTelemetry's conventions for messaging. It exists only if
/// tracing is enabled, and has a source of its own that ends with the connection. Callers check
/// <see cref="HasListeners"/> first, so that nothing else happens without a listener.
/// </summary>
internal sealed class ClientTracer(SharedState shared, MessagePublisher publisher) : IDisposable
{
    private const string Temporary = "_INBOX.";

    private readonly ActivitySource _source = new(ClientActivities.SourceName, typeof(ClientTracer).Assembly.GetName().Version?.ToString(3));
    private readonly string _ownInboxes = shared.Options.InboxPrefix + ".";

    internal bool HasListeners => _source.HasListeners();

    public void Dispose() => _source.Dispose();

    /// <summary>Starts a span around a publish or a request and makes it the current span.</summary>
    internal Activity? StartSend(string operation, string subject, int size)
        => Start(operation, "send", ActivityKind.Producer, subject, size, default, null);

    /// <summary>Starts a span around the handling of a message, as a child of the span that published it.</summary>
    internal Activity? StartProcess(Subscription subscription, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, int size)
        => Start("process", "process", ActivityKind.Consumer, Encoding.UTF8.GetString(subject), size, TraceHeaders.Read(headers), subscription);

    /// <summary>
    /// Returns the header block to send in place of the headers. Returns null to send the headers unchanged, because
    /// the server does not support headers or does not accept such a large message.
    /// </summary>
    internal byte[]? Inject(ReadOnlySpan<byte> headers, int bodyLength)
    {
        byte[]? block = publisher.Headers ? TraceHeaders.With(Activity.Current, headers) : null;
        return block is not null && block.Length + bodyLength <= publisher.MaxPayload ? block : null;
    }

    internal MessageHandler Wrap(MessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new TracedHandler(this, handler).Handle;
    }

    internal static void Fail(Activity? activity, Exception fault) => Fail(activity, fault.GetType().FullName ?? fault.GetType().Name, fault.Message);

    internal static void Fail(Activity? activity, string type, string? description = null)
    {
        activity?.SetTag("error.type", type);
        activity?.SetStatus(ActivityStatusCode.Error, description);
    }

    private Activity? Start(
        string operation, string type, ActivityKind kind, string subject, int size, ActivityContext parent, Subscription? subscription)
    {
        // Each reply has its own subject, so the subject must not be part of the span's name.
        bool isTemporary = subject.StartsWith(Temporary, StringComparison.Ordinal) || subject.StartsWith(_ownInboxes, StringComparison.Ordinal);
        var tags = new TagList
        {
            { "messaging.system", "nats" },
            { "messaging.operation.name", operation },
            { "messaging.operation.type", type },
            { "messaging.destination.name", subject },
            { "messaging.message.body.size", size },
        };
        if (isTemporary)
        {
            tags.Add("messaging.destination.temporary", true);
        }

        if (subscription is not null)
        {
            tags.Add("messaging.destination.subscription.name", subscription.Filter);
            if (subscription.Queue is not null)
            {
                tags.Add("messaging.consumer.group.name", subscription.Queue);
            }
        }

        // With a dialer, the configured address is not the server's address.
        if (shared.Options.Dialer is null && shared.Link is { Address: { } address })
        {
            tags.Add("server.address", address.Host);
            if (!address.IsUnix)
            {
                tags.Add("server.port", address.Port);
            }
        }

        return _source.StartActivity(isTemporary ? operation : $"{operation} {subject}", kind, parent, tags);
    }
}
