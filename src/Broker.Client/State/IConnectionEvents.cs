namespace Broker.Client;

/// <summary>Receives the events of a connection's parts that are not about one subscription.</summary>
internal interface IConnectionEvents
{
    /// <summary>Reports that a callback of the application or an event loop has thrown.</summary>
    void ReportFault(Exception fault);

    /// <summary>Reports that a handler blocks the loop, so that requests have ended at their deadlines.</summary>
    void ReportBlockedLoop();

    /// <summary>Notifies the application that it may publish again after a refusal.</summary>
    void RaiseWritable();
}
