namespace Broker.Server;

/// <summary>Observes the subscriptions of a router.</summary>
internal interface IInterestObserver
{
    /// <summary>
    /// Called under the router's lock when a subscription was added or is about to be removed. The method must not
    /// block.
    /// </summary>
    void OnChanged(Subscription subscription, bool isAdded);
}
