namespace Broker.Client;

/// <summary>The peer does not follow the NATS protocol.</summary>
public sealed class ProtocolViolationException : ClientException
{
    internal ProtocolViolationException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
