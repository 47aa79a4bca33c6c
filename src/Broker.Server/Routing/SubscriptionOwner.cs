namespace Broker.Server;

/// <summary>The owner of subscriptions, with the properties that routing needs.</summary>
internal abstract class SubscriptionOwner
{
    /// <summary>
    /// The subjects that the owner may receive; null for all subjects. The router reads this property on any loop.
    /// </summary>
    internal AccessRules? Access { get; private protected set; }

    /// <summary>
    /// Whether the owner is a part of the server. The subscriptions of such an owner are neither counted nor listed.
    /// </summary>
    internal virtual bool IsInternal => false;
}
