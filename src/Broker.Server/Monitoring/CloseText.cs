using Broker.Transport;

namespace Broker.Server.Monitoring;

/// <summary>Why a client went, in the words that nats-server has for it.</summary>
internal static class CloseText
{
    internal static string Of(string? failure, CloseReason reason) => reason switch
    {
        CloseReason.QueueFull => "Slow Consumer (Pending Bytes)",
        CloseReason.WriteTimeout => "Slow Consumer (Write Deadline)",
        _ when failure is not null => OfFailure(failure),
        CloseReason.Peer => "Client Closed",
        CloseReason.Error => "Read Error",
        _ => "Server Shutdown",
    };

    /// <summary>Whether the client is one that did not take what was for it.</summary>
    internal static bool IsSlowConsumer(CloseReason reason) => reason is CloseReason.QueueFull or CloseReason.WriteTimeout;

    /// <summary>By what the client was told.</summary>
    internal static string OfFailure(string failure) => failure.ToUpperInvariant() switch
    {
        "STALE CONNECTION" => "Stale Connection",
        "AUTHORIZATION VIOLATION" => "Authentication Failure",
        "AUTHENTICATION TIMEOUT" => "Authentication Timeout",
        "USER AUTHENTICATION EXPIRED" => "Authentication Expired",
        "MAXIMUM PAYLOAD VIOLATION" => "Maximum Message Payload Exceeded",
        "MAXIMUM CONTROL LINE EXCEEDED" => "Maximum Control Line Exceeded",
        "MAXIMUM CONNECTIONS EXCEEDED" => "Maximum Connections Exceeded",
        "MAXIMUM ACCOUNT ACTIVE CONNECTIONS EXCEEDED" => "Maximum Account Connections Exceeded",
        "SECURE CONNECTION - TLS REQUIRED" => "TLS Handshake Failure",
        "INVALID CLIENT PROTOCOL" => "Bad Client Protocol Version",
        "SERVER SHUTDOWN" => "Server Shutdown",
        "UNKNOWN PROTOCOL OPERATION" or "PARSER ERROR" => "Parse Error",
        _ => "Protocol Violation",
    };
}
