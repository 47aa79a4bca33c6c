namespace Broker.Client.Errors;

/// <summary>What went wrong with a <see cref="BrokerConnection"/>; the derived types say what.</summary>
public abstract class ClientException : Exception
{
    private protected ClientException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
