namespace Broker.Bridge.Requests;

/// <summary>What becomes of the requests of a worker whose connection ends before it has answered.</summary>
public enum WorkerLoss
{
    /// <summary>
    /// Whoever asked gets an empty answer with the header <c>Nats-Service-Error</c>. Whether the worker has done what was asked is not known.
    /// </summary>
    Reply,

    /// <summary>Nothing: whoever asked waits until his time is over, as in ZeroMQ.</summary>
    Silence,
}
