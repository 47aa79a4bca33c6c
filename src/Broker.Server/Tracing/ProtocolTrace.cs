using System.Globalization;
using System.Text;
using Broker.Protocol.Parsing;
using Broker.Server.Delivery;
using Broker.Server.Routing;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tracing;

/// <summary>
/// What one client says and is told, one line for each operation, as nats-server logs it: <c>&lt;&lt;-</c> from the client,
/// <c>-&gt;&gt;</c> to it. There is one only for clients that are traced.
/// </summary>
/// <remarks>Any thread. Nothing a client sends can begin a line, drive a terminal, or make a line longer than its bound, but for payloads where all of them is wanted.</remarks>
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

    /// <summary>How much of a payload is shown, in bytes; 0 for all of it.</summary>
    internal int PayloadLength { get; set; }

    internal static ProtocolTrace OfClient(ILogger logger, string address, ulong id)
        => new(logger, string.Create(CultureInfo.InvariantCulture, $"{address} - cid:{id} - "));

    /// <summary>For what the server itself publishes.</summary>
    internal static ProtocolTrace OfServer(ILogger logger) => new(logger, "SYSTEM - ");

    /// <summary>CONNECT, without what is secret in it, and the name from now on.</summary>
    internal void Connect(ReadOnlySpan<byte> json) => Log($"<<- [CONNECT {ConnectText.WithoutSecrets(json)}]");

    /// <summary>The name that the client has given itself.</summary>
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

    /// <summary>An operation without arguments.</summary>
    internal void In(string operation) => Log($"<<- [{operation}]");

    /// <summary>A line for the client.</summary>
    internal void Out(string operation) => Log($"->> [{TraceText.Of(Encoding.UTF8.GetBytes(operation))}]");

    /// <summary>A message for the client, as it is counted: what it is sent may be without its headers.</summary>
    internal void Deliver(Subscription subscription, Route route, in Message message, bool withHeaders)
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

    // The text is no template: braces in it mean nothing.
    private void Log(string text) => Write(_client + _name + text);

    // There is a trace only where the level is on.
    [LoggerMessage(50, LogLevel.Trace, "{Line}", SkipEnabledCheck = true)]
    private partial void Write(string line);
}
