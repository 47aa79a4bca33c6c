using Broker.Transport;

namespace Broker.Server;

/// <summary>The texts of nats-server for the reasons why a connection was closed.</summary>
internal static class CloseText
{
    /// <summary>The close reason of a client that an operator has disconnected by a request.</summary>
    internal const string Kicked = "Kicked";

    internal static string Of(string? failure, CloseReason reason) => reason switch
    {
        CloseReason.QueueFull => "Slow Consumer (Pending Bytes)",
        CloseReason.WriteTimeout => "Slow Consumer (Write Deadline)",
        CloseReason.ReceiveMemory => "Receive Memory Exceeded",
        _ when failure is not null => OfFailure(failure),
        CloseReason.Peer => "Client Closed",
        CloseReason.Error => "Read Error",
        _ => "Server Shutdown",
    };

    /// <summary>Whether a connection was closed because the client was a slow consumer.</summary>
    internal static bool IsSlowConsumer(CloseReason reason)
        => reason is CloseReason.QueueFull or CloseReason.WriteTimeout;

    /// <summary>Returns the close reason that belongs to the error text with which the server closed.</summary>
    internal static string OfFailure(string failure) => failure.ToUpperInvariant() switch
    {
        "KICKED" => Kicked,
        "STALE CONNECTION" => "Stale Connection",
        "AUTHORIZATION VIOLATION" => "Authentication Failure",
        "AUTHENTICATION TIMEOUT" => "Authentication Timeout",
        "USER AUTHENTICATION EXPIRED" => "Authentication Expired",
        "MAXIMUM PAYLOAD VIOLATION" => "Maximum Message Payload Exceeded",
        "MAXIMUM CONTROL LINE EXCEEDED" => "Maximum Control Line Exceeded",
        "MAXIMUM CONNECTIONS EXCEEDED" => "Maximum Connections Exceeded",
        "MAXIMUM ACCOUNT ACTIVE CONNECTIONS EXCEEDED" => "Maximum Account Connections Exceeded",
        "MAXIMUM SUBSCRIPTIONS EXCEEDED" => "Maximum Subscriptions Exceeded",
        "SECURE CONNECTION - TLS REQUIRED" => "TLS Handshake Failure",
        "INVALID CLIENT PROTOCOL" => "Bad Client Protocol Version",
        "SERVER SHUTDOWN" => "Server Shutdown",
        "UNKNOWN PROTOCOL OPERATION" or "PARSER ERROR" => "Parse Error",
        _ => "Protocol Violation",
    };
}
