namespace Broker.Client.Subscriptions;

/// <summary>What becomes of a message for whose subscription as much waits as may.</summary>
public enum FullQueuePolicy
{
    /// <summary>It is dropped, before anything of it is copied.</summary>
    DropNewest,

    /// <summary>Those that have waited longest are dropped for it.</summary>
    DropOldest,

    /// <summary>It and all later ones are dropped: the subscription ends, and its reader fails with a <see cref="Errors.SlowConsumerException"/>
    /// after what waited.</summary>
    End,
}
