using System.Net.WebSockets;

namespace Broker.AspNetCore;

/// <summary>
/// Maps the server's reason for closing a client to the status of the close frame (RFC 6455, section 7.4.1). The
/// statuses are nats-server's, except where the RFC forbids an endpoint to send the status of nats-server.
/// </summary>
internal static class CloseStatus
{
    /// <param name="reason">The reason in nats-server's words; null if the client closed the connection.</param>
    internal static (WebSocketCloseStatus Status, string? Words) For(string? reason) => reason switch
    {
        null => (WebSocketCloseStatus.NormalClosure, null),
        "Server Shutdown" => (WebSocketCloseStatus.EndpointUnavailable, reason),
        // The status does not distinguish these two errors.
        "Parse Error" or "Protocol Violation" => (WebSocketCloseStatus.ProtocolError, "Protocol Violation"),
        "Bad Client Protocol Version" => (WebSocketCloseStatus.ProtocolError, reason),
        "Maximum Message Payload Exceeded" => (WebSocketCloseStatus.MessageTooBig, reason),
        _ => (WebSocketCloseStatus.PolicyViolation, reason),
    };
}
