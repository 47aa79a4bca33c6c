namespace Broker.Client;

#pragma warning disable MA0046 // The events have the delegate types of the options' callbacks, so that one method can serve as either.

public sealed partial class BrokerConnection
{
    /// <summary>
    /// The event form of <see cref="ClientOptions.OnDisconnected"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection, Exception>? Disconnected
    {
        add => Core.Events.Disconnected += value;
        remove => Core.Events.Disconnected -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnReconnecting"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection, string>? Reconnecting
    {
        add => Core.Events.Reconnecting += value;
        remove => Core.Events.Reconnecting -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnReconnected"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection>? Reconnected
    {
        add => Core.Events.Reconnected += value;
        remove => Core.Events.Reconnected -= value;
    }

    /// <summary>The event form of <see cref="ClientOptions.OnClosed"/>. It may have any number of handlers.</summary>
    public event Action<BrokerConnection>? Closed
    {
        add => Core.Events.Closed += value;
        remove => Core.Events.Closed -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnServerError"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection, string>? ServerError
    {
        add => Core.Events.ServerError += value;
        remove => Core.Events.ServerError -= value;
    }

    /// <summary>The event form of <see cref="ClientOptions.OnLameDuck"/>. It may have any number of handlers.</summary>
    public event Action<BrokerConnection>? LameDuck
    {
        add => Core.Events.LameDuck += value;
        remove => Core.Events.LameDuck -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnServersDiscovered"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection, IReadOnlyList<string>>? ServersDiscovered
    {
        add => Core.Events.ServersDiscovered += value;
        remove => Core.Events.ServersDiscovered -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnSlowConsumer"/>. It may have any number of handlers.
    /// </summary>
    public event Action<BrokerConnection, QueuedSubscription>? SlowConsumer
    {
        add => Core.Events.SlowConsumer += value;
        remove => Core.Events.SlowConsumer -= value;
    }

    /// <summary>The event form of <see cref="ClientOptions.OnWritable"/>. It may have any number of handlers.</summary>
    public event Action<BrokerConnection>? Writable
    {
        add => Core.Events.Writable += value;
        remove => Core.Events.Writable -= value;
    }

    /// <summary>
    /// The event form of <see cref="ClientOptions.OnFault"/>. It may have any number of handlers. Exceptions that these
    /// handlers throw are ignored.
    /// </summary>
    public event Action<Subscription?, Exception>? Fault
    {
        add => Core.Events.Fault += value;
        remove => Core.Events.Fault -= value;
    }
}
