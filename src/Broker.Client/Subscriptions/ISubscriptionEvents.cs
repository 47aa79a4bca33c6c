namespace Broker.Client;

/// <summary>Receives the events of subscriptions.</summary>
internal interface ISubscriptionEvents
{
    /// <summary>Reports that the handler of a subscription has thrown.</summary>
    void ReportFault(Subscription subscription, Exception fault);

    /// <summary>Reports that the reader of a queue is too slow.</summary>
    void RaiseSlowConsumer(QueuedSubscription subscription);
}
