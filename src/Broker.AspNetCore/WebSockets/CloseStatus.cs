using System.Net.WebSockets;

namespace Broker.AspNetCore;

/// <summary>The status of a close frame (RFC 6455, section 7.4.1) for why the server ends a client: nats-server's, save where it must not be sent.</summary>
internal static class CloseStatus
{
    /// <param name="reason">Why, in nats-server's words; null when the client went by itself.</param>
    internal static (WebSocketCloseStatus Status, string? Words) For(string? reason) => reason switch
    {
        null => (WebSocketCloseStatus.NormalClosure, null),
        "Server Shutdown" => (WebSocketCloseStatus.EndpointUnavailable, reason),
        // To a WebSocket both are one.
        "Parse Error" or "Protocol Violation" => (WebSocketCloseStatus.ProtocolError, "Protocol Violation"),
        "Bad Client Protocol Version" => (WebSocketCloseStatus.ProtocolError, reason),
        "Maximum Message Payload Exceeded" => (WebSocketCloseStatus.MessageTooBig, reason),
        _ => (WebSocketCloseStatus.PolicyViolation, reason),
    };
}
