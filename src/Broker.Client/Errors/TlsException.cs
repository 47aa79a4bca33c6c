namespace Broker.Client.Errors;

/// <summary>TLS was required and not to be had: the server does not offer it, or one side does not accept the other's certificate.</summary>
public sealed class TlsException : ClientException
{
    internal TlsException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
