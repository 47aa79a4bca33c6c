using Broker.Client.Subscriptions;

namespace Broker.Client;

#pragma warning disable MA0046 // The same shapes as the options' callbacks, so that one method serves as either.

public sealed partial class BrokerConnection
{
    /// <summary>As <see cref="ClientOptions.OnDisconnected"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, Exception>? Disconnected
    {
        add => Core.Events.Disconnected += value;
        remove => Core.Events.Disconnected -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnReconnecting"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, string>? Reconnecting
    {
        add => Core.Events.Reconnecting += value;
        remove => Core.Events.Reconnecting -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnReconnected"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Reconnected
    {
        add => Core.Events.Reconnected += value;
        remove => Core.Events.Reconnected -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnClosed"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Closed
    {
        add => Core.Events.Closed += value;
        remove => Core.Events.Closed -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnServerError"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, string>? ServerError
    {
        add => Core.Events.ServerError += value;
        remove => Core.Events.ServerError -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnLameDuck"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? LameDuck
    {
        add => Core.Events.LameDuck += value;
        remove => Core.Events.LameDuck -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnServersLearnt"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, IReadOnlyList<string>>? ServersLearnt
    {
        add => Core.Events.ServersLearnt += value;
        remove => Core.Events.ServersLearnt -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnSlowConsumer"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, QueuedSubscription>? SlowConsumer
    {
        add => Core.Events.SlowConsumer += value;
        remove => Core.Events.SlowConsumer -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnWritable"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Writable
    {
        add => Core.Events.Writable += value;
        remove => Core.Events.Writable -= value;
    }

    /// <summary>As <see cref="ClientOptions.OnFault"/>, for any number of listeners. What they throw is lost.</summary>
    public event Action<Subscription?, Exception>? Fault
    {
        add => Core.Events.Fault += value;
        remove => Core.Events.Fault -= value;
    }
}
