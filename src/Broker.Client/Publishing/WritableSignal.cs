using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Notifies callers that were refused for lack of space when there is space again. It always notifies once after a
/// series of refusals, unless the connection closes.
/// </summary>
internal sealed class WritableSignal(SharedState shared, IConnectionEvents events)
{
    private readonly long _limit = shared.Options.MaxPendingBytes;

    // 1 from a refusal until the notification.
    private int _isRequested;

    // Completed when there is space. Null if nobody waits.
    private TaskCompletionSource? _waiters;

    /// <summary>The low watermark for <see cref="ConnectionHandler.OnLowWater"/>.</summary>
    internal long LowWater => Math.Max(1, _limit / 2);

    /// <summary>
    /// Returns whether an earlier refusal still waits for its notification and the limit is still reached. A publisher
    /// that retries all the time must not take the gate each time, because that would delay the threads that send.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsStillFull(int size) => Volatile.Read(ref _isRequested) != 0 && IsFull(size);

    /// <summary>
    /// Refuses a message of an event loop. The loop's own bytes count too, and they are sent only at the end of its
    /// iteration. Called on that loop.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PublishStatus RefuseOnLoop(EventLoop loop)
    {
        // The plain read comes first: a publisher that retries all the time must not execute an interlocked instruction
        // each time.
        if (Volatile.Read(ref _isRequested) == 0 && Interlocked.Exchange(ref _isRequested, 1) == 0)
        {
            // Without a server, the next server's connect sends the notification.
            OutboundAccounting.RunAfterFlush(loop, () => shared.Link?.Transport.RequestLowWater());
        }

        return PublishStatus.PendingLimit;
    }

    /// <summary>Refuses a message of a thread that is not an event loop. Called under the gate.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PublishStatus RefuseExternally(Connection transport)
    {
        if (Interlocked.Exchange(ref _isRequested, 1) == 0)
        {
            transport.FlushExternal();
            transport.RequestLowWater();
        }

        return PublishStatus.PendingLimit;
    }

    /// <summary>
    /// Refuses a message because the buffer for the next server is full. There will be space when a server is
    /// connected. Called under the gate.
    /// </summary>
    internal PublishStatus RefuseBuffering()
    {
        Volatile.Write(ref _isRequested, 1);
        return PublishStatus.BufferFull;
    }

    /// <summary>Notifies the callers that there is space again. Called on the loop.</summary>
    internal void Notify()
    {
        // This comes before the notification, so that a later refusal requests a new notification.
        Volatile.Write(ref _isRequested, 0);
        WakeWriters();
        events.RaiseWritable();
    }

    /// <summary>Notifies the callers after a connect if a message was refused before. Called on the loop.</summary>
    internal void NotifyIfRequested()
    {
        if (Volatile.Read(ref _isRequested) != 0)
        {
            Notify();
        }
    }

    /// <summary>Completes when there is space or when the connection has closed.</summary>
    internal Task WaitForSpaceAsync()
    {
        lock (shared.Gate)
        {
            return (_waiters ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    internal void WakeWriters()
    {
        TaskCompletionSource? waiters;
        lock (shared.Gate)
        {
            waiters = _waiters;
            _waiters = null;
        }

        waiters?.TrySetResult();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsFull(int size) => shared.Link is { } link && link.Transport.PendingBytes + size > _limit;
}
