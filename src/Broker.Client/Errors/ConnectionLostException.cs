namespace Broker.Client.Errors;

/// <summary>There is no server: it was lost, or not found yet, or the connection has been closed.</summary>
public sealed class ConnectionLostException : ClientException
{
    internal ConnectionLostException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
