namespace Broker.Client;

/// <summary>
/// TLS is required but not possible: the server does not offer it, or one side rejects the other's certificate.
/// </summary>
public sealed class TlsException : ClientException
{
    internal TlsException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
