namespace Broker.Client;

/// <summary>Nobody subscribes to the subject of a request. The server answered the request with status 503.</summary>
public sealed class NoRespondersException : ClientException
{
    internal NoRespondersException(string subject)
        : base($"Nobody subscribes to '{subject}'.")
    {
    }
}
