namespace Broker.Server.Accounts;

/// <summary>How many messages answer a request to a service of another account.</summary>
public enum ServiceResponse
{
    /// <summary>One: what a second responder sends does not reach the requestor.</summary>
    Once,

    /// <summary>Any number; one without payload is the last.</summary>
    Stream,

    /// <summary>One, in any number of parts; a part without payload is the last. No other than <see cref="Stream"/> but for those who read it.</summary>
    Chunked,
}
