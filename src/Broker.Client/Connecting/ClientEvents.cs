namespace Broker.Client;

/// <summary>
/// Calls the callbacks of a connection's options. A callback may consist of several combined delegates. Each delegate
/// is called on its own, so that an exception in one delegate does not keep the others from being called.
/// </summary>
internal sealed class ClientEvents(BrokerConnection connection, ClientOptions options) : IConnectionEvents, ISubscriptionEvents
{
    private long _faults;

#pragma warning disable MA0046 // The delegate has the type of the option's callback.
    /// <summary>Raised after the option's callback when the connection has closed.</summary>
    internal event Action<BrokerConnection>? Closed;

    /// <summary>Raised after the option's callback when a server was lost, was reached again, or the connection has
    /// closed.</summary>
    internal event Action<BrokerConnection, ConnectionState>? StateChanged;
#pragma warning restore MA0046

    /// <summary>The number of exceptions that handlers and callbacks have thrown.</summary>
    internal long Faults => Volatile.Read(ref _faults);

    internal bool HasConnectFailedCallback => options.OnConnectFailed is not null;

    public void ReportFault(Exception fault) => ReportAnyFault(null, fault);

    public void ReportFault(Subscription subscription, Exception fault) => ReportAnyFault(subscription, fault);

    public void ReportBlockedLoop() => options.Log?.LoopBlocked();

    /// <summary>Reports that the connection has given up looking for a server and closes.</summary>
    internal void ReportGivenUp(Exception cause)
    {
        options.Log?.GivenUp(cause);
        RaiseFault(null, cause);
    }

    /// <summary>Reports that the next server does not accept a message that was buffered for it.</summary>
    internal void ReportRefused(PublishRefusedException refusal)
    {
        options.Log?.RefusedByNext(refusal);
        RaiseFault(null, refusal);
    }

    private void ReportAnyFault(Subscription? subscription, Exception fault)
    {
        Interlocked.Increment(ref _faults);
        options.Log?.Fault(fault);
        RaiseFault(subscription, fault);
    }

    private void RaiseFault(Subscription? subscription, Exception fault)
    {
        foreach (Action<Subscription?, Exception> listener in Delegate.EnumerateInvocationList(options.OnFault))
        {
            try
            {
                listener(subscription, fault);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                // OnFault itself has thrown, so there is no callback that could report the exception.
            }
        }
    }

    internal void RaiseDisconnected(Exception cause)
    {
        Raise(options.OnDisconnected, cause);
        Raise(StateChanged, ConnectionState.Reconnecting);
    }

    internal void RaiseReconnecting(string server) => Raise(options.OnReconnecting, server);

    internal void RaiseReconnected()
    {
        Raise(options.OnReconnected);
        Raise(StateChanged, ConnectionState.Connected);
    }

    internal void RaiseConnectFailed(Exception cause) => Raise(options.OnConnectFailed, cause);

    internal void RaiseClosed()
    {
        Raise(options.OnClosed + Closed);
        Raise(StateChanged, ConnectionState.Closed);
    }

    internal void RaiseServerError(string text) => Raise(options.OnServerError, text);

    internal void RaiseLameDuck() => Raise(options.OnLameDuck);

    internal void RaiseServersDiscovered(IReadOnlyList<string> servers) => Raise(options.OnServersDiscovered, servers);

    public void RaiseSlowConsumer(QueuedSubscription subscription) => Raise(options.OnSlowConsumer, subscription);

    public void RaiseWritable() => Raise(options.OnWritable);

    private void Raise(Action<BrokerConnection>? listeners)
    {
        foreach (Action<BrokerConnection> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(connection);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(e);
            }
        }
    }

    private void Raise<T>(Action<BrokerConnection, T>? listeners, T argument)
    {
        foreach (Action<BrokerConnection, T> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(connection, argument);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(e);
            }
        }
    }
}
