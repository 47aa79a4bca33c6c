namespace Broker.Client.Tests.Support;

/// <summary>The transport that carries the protocol.</summary>
public enum Way
{
    Tcp,
    Tls,
    Unix,
    WebSocket,
    SecureWebSocket,
    Stream,
    Pipe,
    InProcess,
}
