using System.Net.WebSockets;

namespace Broker.AspNetCore;

/// <summary>
/// Maps the reason for which the server closes a client to the status of a close frame (RFC 6455, section 7.4.1). It
/// uses nats-server's statuses, except for statuses that an endpoint must not send.
/// </summary>
internal static class CloseStatus
{
    /// <param name="reason">The reason in nats-server's words; null if the client closed the connection.</param>
    internal static (WebSocketCloseStatus Status, string? Words) For(string? reason) => reason switch
    {
        null => (WebSocketCloseStatus.NormalClosure, null),
        "Server Shutdown" => (WebSocketCloseStatus.EndpointUnavailable, reason),
        // Both errors have the same status.
        "Parse Error" or "Protocol Violation" => (WebSocketCloseStatus.ProtocolError, "Protocol Violation"),
        "Bad Client Protocol Version" => (WebSocketCloseStatus.ProtocolError, reason),
        "Maximum Message Payload Exceeded" => (WebSocketCloseStatus.MessageTooBig, reason),
        _ => (WebSocketCloseStatus.PolicyViolation, reason),
    };
}
