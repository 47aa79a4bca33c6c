using System.Globalization;
using System.Text;
using Broker.Protocol;
using Microsoft.Extensions.Logging;

namespace Broker.Server;

/// <summary>
/// Logs the operations of one client, one line for each, in nats-server's format: <c>&lt;&lt;-</c> for operations from
/// the client, <c>-&gt;&gt;</c> for operations to the client. Only a traced client has an instance.
/// </summary>
/// <remarks>
/// Thread-safe. Bytes from a client cannot begin a new line, control a terminal, or make a line longer than a limit.
/// Only the line of a payload has no limit if <see cref="PayloadLength"/> is 0.
/// </remarks>
internal sealed partial class ProtocolTrace
{
    private readonly ILogger _logger;
    private readonly string _client;
    private volatile string _name = "";

    private ProtocolTrace(ILogger logger, string client)
    {
        _logger = logger;
        _client = client;
    }

    /// <summary>The maximum number of payload bytes that are shown; 0 for the whole payload.</summary>
    internal int PayloadLength { get; set; }

    internal static ProtocolTrace OfClient(ILogger logger, string address, ulong id)
        => new(logger, string.Create(CultureInfo.InvariantCulture, $"{address} - cid:{id} - "));

    /// <summary>Creates a trace for messages that the server itself publishes.</summary>
    internal static ProtocolTrace OfServer(ILogger logger) => new(logger, "SYSTEM - ");

    /// <summary>Logs CONNECT without its secrets.</summary>
    internal void Connect(ReadOnlySpan<byte> json) => Log($"<<- [CONNECT {ConnectText.WithoutSecrets(json)}]");

    /// <summary>Sets the name that the client has sent. Later lines contain it.</summary>
    internal void Name(string? name) => _name = string.IsNullOrEmpty(name) ? "" : $"\"{TraceText.Of(Encoding.UTF8.GetBytes(name))}\" - ";

    internal void Publish(scoped PublishOperation operation)
    {
        string reply = operation.ReplyTo.IsEmpty ? "" : TraceText.Of(operation.ReplyTo) + " ";
        string verb = operation.HasHeaders ? "HPUB" : "PUB";
        string headers = operation.HasHeaders ? Number(operation.HeaderLength) + " " : "";
        Log($"<<- [{verb} {TraceText.Of(operation.Subject)} {reply}{headers}{Number(operation.Payload.Length)}]");
        Payload(operation.Payload);
    }

    internal void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        Log($"<<- [PUB {TraceText.Of(subject)} {Number(payload.Length)}]");
        Payload(payload);
    }

    internal void Subscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid)
        => Log($"<<- [SUB {TraceText.Of(subject)} {(queue.IsEmpty ? "" : TraceText.Of(queue) + " ")}{TraceText.Of(sid)}]");

    internal void Unsubscribe(ReadOnlySpan<byte> sid, int max)
        => Log($"<<- [UNSUB {TraceText.Of(sid)}{(max == 0 ? "" : " " + Number(max))}]");

    /// <summary>Logs an operation without arguments.</summary>
    internal void In(string operation) => Log($"<<- [{operation}]");

    /// <summary>Logs a line that is sent to the client.</summary>
    internal void Out(string operation) => Log($"->> [{TraceText.Of(Encoding.UTF8.GetBytes(operation))}]");

    /// <summary>
    /// Logs a message to the client. If the client does not read headers, the logged size does not include headers.
    /// </summary>
    internal void Deliver(Subscription subscription, Route route, in RoutedMessage message, bool withHeaders)
    {
        bool headers = message.HeaderLength > 0 && withHeaders;
        int size = message.HasHeaders && !headers ? message.Payload.Length - message.HeaderLength : message.Payload.Length;
        string reply = message.ReplyTo.IsEmpty ? "" : TraceText.Of(message.ReplyTo) + " ";
        string head = (headers ? "HMSG " : "MSG ") + TraceText.Of(message.Subject);
        string length = headers ? Number(message.HeaderLength) + " " + Number(size) : Number(size);
        Log($"->> [{head} {TraceText.Of(subscription.Sid)} {reply}{length}]");
    }

    private void Payload(ReadOnlySpan<byte> payload)
    {
        bool isCut = PayloadLength != 0 && payload.Length > PayloadLength;
        Log($"<<- MSG_PAYLOAD: [\"{TraceText.Of(isCut ? payload[..PayloadLength] : payload, most: int.MaxValue)}{(isCut ? "..." : "")}\"]");
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);

    // The text is passed as an argument and not as a template, because it may contain braces.
    private void Log(string text) => Write(_client + _name + text);

    // An instance exists only if the Trace level is enabled, so the check is skipped.
    [LoggerMessage(50, LogLevel.Trace, "{Line}", SkipEnabledCheck = true)]
    private partial void Write(string line);
}
