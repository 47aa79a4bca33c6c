namespace Broker.Client;

#pragma warning disable MA0046 // The events have the delegate types of the options' callbacks, so that one method can serve as either.

/// <summary>
/// The event handlers of a connection. Each handler is called on its own, so that one that throws does not affect the
/// others.
/// </summary>
internal sealed class ClientEvents
{
    private readonly BrokerConnection _connection;
    private readonly ClientOptions _options;
    private long _faults;

    internal ClientEvents(BrokerConnection connection, ClientOptions options)
    {
        _connection = connection;
        _options = options;
        Disconnected = options.OnDisconnected;
        Reconnecting = options.OnReconnecting;
        Reconnected = options.OnReconnected;
        Closed = options.OnClosed;
        ServerError = options.OnServerError;
        LameDuck = options.OnLameDuck;
        ServersDiscovered = options.OnServersDiscovered;
        SlowConsumer = options.OnSlowConsumer;
        Writable = options.OnWritable;
        Fault = options.OnFault;
    }

    internal event Action<BrokerConnection, Exception>? Disconnected;

    internal event Action<BrokerConnection, string>? Reconnecting;

    internal event Action<BrokerConnection>? Reconnected;

    internal event Action<BrokerConnection>? Closed;

    internal event Action<BrokerConnection, string>? ServerError;

    internal event Action<BrokerConnection>? LameDuck;

    internal event Action<BrokerConnection, IReadOnlyList<string>>? ServersDiscovered;

    internal event Action<BrokerConnection, QueuedSubscription>? SlowConsumer;

    internal event Action<BrokerConnection>? Writable;

    internal event Action<Subscription?, Exception>? Fault;

    /// <summary>The number of exceptions that handlers and callbacks have thrown.</summary>
    internal long Faults => Volatile.Read(ref _faults);

    internal bool HasConnectFailedCallback => _options.OnConnectFailed is not null;

    internal void ReportFault(Subscription? subscription, Exception fault)
    {
        Interlocked.Increment(ref _faults);
        foreach (Action<Subscription?, Exception> listener in Delegate.EnumerateInvocationList(Fault))
        {
            try
            {
                listener(subscription, fault);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                // No other handler can be notified of this exception.
            }
        }
    }

    internal void RaiseDisconnected(Exception cause) => Raise(Disconnected, cause);

    internal void RaiseReconnecting(string server) => Raise(Reconnecting, server);

    internal void RaiseReconnected() => Raise(Reconnected);

    internal void RaiseConnectFailed(Exception cause) => Raise(_options.OnConnectFailed, cause);

    internal void RaiseClosed() => Raise(Closed);

    internal void RaiseServerError(string text) => Raise(ServerError, text);

    internal void RaiseLameDuck() => Raise(LameDuck);

    internal void RaiseServersDiscovered(IReadOnlyList<string> servers) => Raise(ServersDiscovered, servers);

    internal void RaiseSlowConsumer(QueuedSubscription subscription) => Raise(SlowConsumer, subscription);

    internal void RaiseWritable() => Raise(Writable);

    private void Raise(Action<BrokerConnection>? listeners)
    {
        foreach (Action<BrokerConnection> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(_connection);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(null, e);
            }
        }
    }

    private void Raise<T>(Action<BrokerConnection, T>? listeners, T argument)
    {
        foreach (Action<BrokerConnection, T> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(_connection, argument);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(null, e);
            }
        }
    }
}
