namespace Broker.AspNetCore;

/// <summary>A parameter of a request is wrong; the message is for whoever asked.</summary>
internal sealed class QueryException(string message) : Exception(message);
