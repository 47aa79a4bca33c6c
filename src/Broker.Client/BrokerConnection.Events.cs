using Broker.Client.Subscriptions;

namespace Broker.Client;

#pragma warning disable MA0046 // The same shapes as the options' callbacks, so that one method serves as either.

// Each listener is called on its own: one that throws costs the others nothing.
public sealed partial class BrokerConnection
{
    /// <summary>As <see cref="ClientOptions.OnDisconnected"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, Exception>? Disconnected;

    /// <summary>As <see cref="ClientOptions.OnReconnecting"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, string>? Reconnecting;

    /// <summary>As <see cref="ClientOptions.OnReconnected"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Reconnected;

    /// <summary>As <see cref="ClientOptions.OnClosed"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Closed;

    /// <summary>As <see cref="ClientOptions.OnServerError"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, string>? ServerError;

    /// <summary>As <see cref="ClientOptions.OnLameDuck"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? LameDuck;

    /// <summary>As <see cref="ClientOptions.OnServersLearnt"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, IReadOnlyList<string>>? ServersLearnt;

    /// <summary>As <see cref="ClientOptions.OnSlowConsumer"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection, QueuedSubscription>? SlowConsumer;

    /// <summary>As <see cref="ClientOptions.OnWritable"/>, for any number of listeners.</summary>
    public event Action<BrokerConnection>? Writable;

    /// <summary>As <see cref="ClientOptions.OnFault"/>, for any number of listeners. What they throw is lost.</summary>
    public event Action<Subscription?, Exception>? Fault;

    internal void ReportFault(Subscription? subscription, Exception fault)
    {
        Interlocked.Increment(ref _faults);
        foreach (Action<Subscription?, Exception> listener in Delegate.EnumerateInvocationList(Options.OnFault + Fault))
        {
            try
            {
                listener(subscription, fault);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                // There is nobody left to tell.
            }
        }
    }

    internal void TellServerError(string text) => Tell(Options.OnServerError + ServerError, text);

    internal void TellSlowConsumer(QueuedSubscription subscription) => Tell(Options.OnSlowConsumer + SlowConsumer, subscription);

    private void Tell(Action<BrokerConnection>? listeners)
    {
        foreach (Action<BrokerConnection> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(this);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(null, e);
            }
        }
    }

    private void Tell<T>(Action<BrokerConnection, T>? listeners, T argument)
    {
        foreach (Action<BrokerConnection, T> listener in Delegate.EnumerateInvocationList(listeners))
        {
            try
            {
                listener(this, argument);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                ReportFault(null, e);
            }
        }
    }
}
