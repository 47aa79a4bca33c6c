namespace Broker.Client;

/// <summary>The base class of the errors of a <see cref="BrokerConnection"/>.</summary>
public abstract class ClientException : Exception
{
    private protected ClientException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
