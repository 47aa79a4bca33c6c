namespace Broker.Server;

/// <summary>Asks a service whether a client may connect. Thread-safe.</summary>
internal interface IAuthCallout : IDisposable
{
    /// <summary>
    /// Asks the service. Called on a thread-pool thread, because the request is signed. The task does not fail: if no
    /// valid answer comes in time, the client is refused.
    /// </summary>
    Task<Verdict> AskAsync(CalloutQuestion question);
}
