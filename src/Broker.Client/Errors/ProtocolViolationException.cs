namespace Broker.Client.Errors;

/// <summary>What is at the other end does not speak the NATS protocol as this client knows it.</summary>
public sealed class ProtocolViolationException : ClientException
{
    internal ProtocolViolationException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
