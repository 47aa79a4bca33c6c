namespace Broker.Client.Errors;

/// <summary>Nobody subscribes to the subject of a request: the server answered it with status 503.</summary>
public sealed class NoRespondersException : ClientException
{
    internal NoRespondersException(string subject)
        : base($"Nobody responds to '{subject}'.")
    {
    }
}
