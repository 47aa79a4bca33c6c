namespace Broker.Server;

/// <summary>The number of replies to a request to a service of another account.</summary>
public enum ServiceResponse
{
    /// <summary>One reply. A reply of a second responder does not reach the requester.</summary>
    Once,

    /// <summary>Any number of replies. A reply without payload is the last reply.</summary>
    Stream,

    /// <summary>
    /// One reply in any number of parts. A part without payload is the last part. The server handles this value in the
    /// same way as <see cref="Stream"/>; the difference is only for readers of the configuration.
    /// </summary>
    Chunked,
}
