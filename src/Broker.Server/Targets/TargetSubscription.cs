using System.Text;

namespace Broker.Server;

/// <summary>
/// A subscription of a <see cref="MessageTarget"/>. Thread-safe. <see cref="Dispose"/> ends the subscription.
/// </summary>
public sealed class TargetSubscription : IDisposable
{
    private readonly MessageTarget _target;

    internal TargetSubscription(MessageTarget target, TargetQueue queue, string filter, string? queueGroup)
    {
        _target = target;
        Filter = filter;
        QueueGroup = queueGroup;
        Routed = new RoutedSubscription(this, queue);
    }

    /// <summary>The filter of the subscription.</summary>
    public string Filter { get; }

    /// <summary>The queue group of the subscription; null without a queue group.</summary>
    public string? QueueGroup { get; }

    internal Subscription Routed { get; }

    /// <summary>Ends the subscription. The handler still receives messages that already wait for it.</summary>
    public void Dispose() => _target.Remove(this);

    /// <summary>The router's subscription, which refers to the public object.</summary>
    internal sealed class RoutedSubscription(TargetSubscription subscription, TargetQueue queue)
        : Subscription(
            queue,
            Encoding.UTF8.GetBytes(subscription.Filter),
            subscription.QueueGroup is { } group ? Encoding.UTF8.GetBytes(group) : null,
            "0"u8)
    {
        internal TargetSubscription Public => subscription;

        // The base class reads this value from the owner, but a closed subscription has no owner.
        internal override bool IsInternal => true;
    }
}
