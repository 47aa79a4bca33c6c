namespace Broker.Client.Tests.Support;

/// <summary>What carries the protocol's bytes.</summary>
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
