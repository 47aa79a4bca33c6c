namespace Broker.Client;

/// <summary>No server is connected: it was lost, it was not found yet, or the connection is closed.</summary>
public sealed class ConnectionLostException : ClientException
{
    internal ConnectionLostException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>
    /// The number of accepted messages that a drain could not send, if <see cref="BrokerConnection.DrainAsync"/> has
    /// thrown this exception. Otherwise 0.
    /// </summary>
    public long LostMessages { get; internal init; }

    /// <summary>
    /// Creates the exception for one of many callers that wait when a server is lost. A runtime adds the stack of each
    /// <c>throw</c> to the exception object, so callers that share an object would get the stacks of all the others.
    /// </summary>
    internal static ConnectionLostException ForOneOfMany(Exception cause)
        => cause is ConnectionLostException lost
            ? new ConnectionLostException(lost.Message, lost.InnerException)
            : new ConnectionLostException($"The server was lost: {cause.Message}", cause);
}
