using System.Diagnostics;
using System.Text;
using Broker.Client.Subscriptions;

namespace Broker.Client.Telemetry;

/// <summary>
/// The spans of one connection, by OpenTelemetry's conventions for messaging. Made only for connections that ask for it, and a source of
/// its own, so that it ends with the connection. Callers look at <see cref="IsHeard"/> first: while nobody listens nothing else is done.
/// </summary>
internal sealed class ClientTracer(ConnectionCore core) : IDisposable
{
    private const string Temporary = "_INBOX.";

    private readonly ActivitySource _source = new(ClientActivities.SourceName, typeof(ClientTracer).Assembly.GetName().Version?.ToString(3));
    private readonly string _ownInboxes = core.Options.InboxPrefix + ".";

    internal bool IsHeard => _source.HasListeners();

    public void Dispose() => _source.Dispose();

    /// <summary>A span around a publish or a request. It is current when this returns.</summary>
    internal Activity? StartSend(string operation, string subject, int size)
        => Start(operation, "send", ActivityKind.Producer, subject, size, default, null);

    /// <summary>A span around the handling of a message, below the one that it was published in.</summary>
    internal Activity? StartProcess(Subscription subscription, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, int size)
        => Start("process", "process", ActivityKind.Consumer, Encoding.UTF8.GetString(subject), size, TraceHeaders.Read(headers), subscription);

    /// <summary>
    /// The block to send in place of the headers; null to send them as they are: where the server takes no headers, or no message so large.
    /// </summary>
    internal byte[]? Inject(ReadOnlySpan<byte> headers, int bodyLength)
    {
        byte[]? block = core.Publisher.Headers ? TraceHeaders.With(Activity.Current, headers) : null;
        return block is not null && block.Length + bodyLength <= core.Publisher.MaxPayload ? block : null;
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
        // Of these there is one for each answer: a name of a span must not be.
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

        // By a dialer it is somewhere that no address tells.
        if (core.Options.Dialer is null && core.Link is { Address: { } address })
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
