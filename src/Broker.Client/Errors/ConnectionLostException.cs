namespace Broker.Client;

/// <summary>No server is connected: it was lost, it was not found yet, or the connection is closed.</summary>
public sealed class ConnectionLostException : ClientException
{
    internal ConnectionLostException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
