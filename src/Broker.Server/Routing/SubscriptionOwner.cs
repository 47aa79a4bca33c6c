namespace Broker.Server;

/// <summary>The owner of subscriptions, with the properties that routing needs.</summary>
internal abstract class SubscriptionOwner
{
    /// <summary>The subjects that it may receive; null for all subjects. The router reads it on any loop.</summary>
    internal AccessRules? Access { get; private protected set; }

    /// <summary>Whether it is a part of the server. Its subscriptions are neither counted nor listed.</summary>
    internal virtual bool IsInternal => false;
}
