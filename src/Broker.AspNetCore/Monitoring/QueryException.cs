namespace Broker.AspNetCore;

/// <summary>A parameter of a request is wrong. The message is sent to the client.</summary>
internal sealed class QueryException(string message) : Exception(message);
