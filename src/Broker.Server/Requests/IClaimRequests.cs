namespace Broker.Server;

/// <summary>Answers the requests of the system account about the JWTs of accounts. Thread-safe.</summary>
internal interface IClaimRequests
{
    /// <summary>Whether the server holds all accounts, so that it answers requests for their JWTs.</summary>
    bool HoldsAll { get; }

    /// <summary>Answers a request with any number of messages. Does not throw.</summary>
    /// <param name="request">The request.</param>
    /// <param name="reply">Publishes one message of the answer.</param>
    Task AnswerAsync(ReceivedRequest request, Action<byte[]> reply);
}
