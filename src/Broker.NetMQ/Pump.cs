using NetMQ;

namespace Broker.NetMQ;

/// <summary>
/// One direction of an attachment. All methods run on the poller's thread, and the last ones on the thread that ends
/// the attachment if the poller does not run.
/// </summary>
internal abstract class Pump(NetMQAttachment owner) : IDisposable
{
    private long _taken;
    private long _passed;
    private long _dropped;

    /// <summary>The number of messages that were taken. May be read on any thread.</summary>
    internal long Taken => Volatile.Read(ref _taken);

    /// <summary>The number of messages that were passed on. May be read on any thread.</summary>
    internal long Passed => Volatile.Read(ref _passed);

    /// <summary>The number of messages that were dropped. May be read on any thread.</summary>
    internal long Dropped => Volatile.Read(ref _dropped);

    /// <summary>Whether no message waits. May be read on any thread; the value may be out of date at once.</summary>
    internal virtual bool IsEmpty => true;

    private protected NetMQAttachment Owner { get; } = owner;

    /// <summary>Whether <see cref="Stop"/> was called.</summary>
    private protected bool IsStopped { get; private set; }

    /// <summary>Attaches the handlers.</summary>
    internal abstract void Start();

    /// <summary>Removes the handlers and closes the messages. May be called twice.</summary>
    internal void Stop()
    {
        if (!IsStopped)
        {
            IsStopped = true;
            StopCore();
        }
    }

    /// <summary>
    /// Ends the notifications of the route's side. Called after <see cref="Stop"/>, on any thread.
    /// </summary>
    public abstract void Dispose();

    private protected abstract void StopCore();

    // Only one thread at a time writes a counter.
    private protected void CountTaken() => Volatile.Write(ref _taken, _taken + 1);

    private protected void CountPassed() => Volatile.Write(ref _passed, _passed + 1);

    private protected void CountDropped() => Volatile.Write(ref _dropped, _dropped + 1);

    /// <summary>Closes a message, so that its buffer returns to NetMQ's pool.</summary>
    private protected static void Close(ref Msg message)
    {
        if (message.IsInitialised)
        {
            message.Close();
        }
    }
}
