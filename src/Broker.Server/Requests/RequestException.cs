namespace Broker.Server;

/// <summary>A request of the system account cannot be answered. The message is for the requester.</summary>
internal sealed class RequestException(int code, string message) : Exception(message)
{
    /// <summary>The body of the request is wrong.</summary>
    internal const int BadRequest = 400;

    /// <summary>The page cannot be created, or the action cannot be executed.</summary>
    internal const int Failed = 500;

    internal int Code => code;
}
