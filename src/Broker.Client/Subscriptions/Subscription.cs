using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>
/// A subscription to the subjects that match a filter. It survives the loss of a server: the next server receives it
/// before anything else. Thread-safe. Disposing it unsubscribes.
/// </summary>
public sealed class Subscription : IDisposable
{
    private const int OnStack = 256;

    private readonly MessageHandler _handler;
    private volatile bool _active = true;
    private long _delivered;

    // An int, because it needs no memory beside the flags. Zero means no maximum.
    private int _max;

    internal Subscription(SubscriptionManager manager, string filter, string? queue, MessageHandler handler, object? state)
    {
        Manager = manager;
        Filter = filter;
        Queue = queue;
        State = state;
        _handler = handler;
    }

    /// <summary>The connection of the subscription.</summary>
    public BrokerConnection Connection => Manager.Connection;

    /// <summary>The subject, in which <c>*</c> and <c>&gt;</c> are wildcards.</summary>
    public string Filter { get; }

    /// <summary>The queue group. Each message goes to one of its members. Null for none.</summary>
    public string? Queue { get; }

    /// <summary>The object for the handler that was passed to the subscribe method.</summary>
    public object? State { get; }

    /// <summary>The number of messages that the handler has received.</summary>
    public long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Whether messages can still arrive.</summary>
    public bool IsActive => _active;

    /// <summary>The subscriptions of the connection.</summary>
    internal SubscriptionManager Manager { get; }

    /// <summary>
    /// The subscription id in the protocol. It is set once, before other threads can use the subscription.
    /// </summary>
    internal ulong Sid { get; set; }

    /// <summary>
    /// The queue of the subscription. Null if a handler receives the messages directly. It is set before other threads
    /// can use the subscription.
    /// </summary>
    internal QueuedSubscription? Queued { get; init; }

    /// <summary>
    /// Whether UNSUB has been sent, so that a next server must not receive the subscription. Used under the
    /// connection's gate.
    /// </summary>
    internal bool IsDraining { get; set; }

    /// <summary>
    /// Ends the subscription at once. On the loop, no message comes after the method returns. On another thread, a
    /// handler may still be running when it returns. The method has no effect if the subscription has ended.
    /// </summary>
    public void Unsubscribe() => Manager.Unsubscribe(this);

    /// <summary>
    /// Ends the subscription after <paramref name="max"/> messages, counted from its beginning. If that many messages
    /// have already arrived, the subscription ends at once.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is not positive.</exception>
    public void AutoUnsubscribe(long max)
    {
        // The server stores this number in 32 bits.
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(max, int.MaxValue);
        Volatile.Write(ref _max, (int)max);
        Manager.Limit(this, max);
    }

    /// <summary>
    /// Ends the subscription without loss. The method sends UNSUB, and its task completes when the handler has received
    /// all messages that were on their way, or when the server is lost. It has no effect if the subscription has ended.
    /// </summary>
    /// <param name="cancellationToken">Ends the subscription at once.</param>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled. The
    /// subscription has ended nevertheless.</exception>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Manager.DrainAsync(this, cancellationToken);

    /// <inheritdoc/>
    public void Dispose() => Unsubscribe();

    /// <param name="error">The error that readers of the queue get after the messages that wait. Null for none.</param>
    internal void Deactivate(Exception? error = null)
    {
        _active = false;
        Queued?.End(error);
    }

    /// <summary>Passes a message to the handler. Called on the loop.</summary>
    internal void Deliver(in MessageOperation operation)
    {
        if (!_active)
        {
            return;
        }

        _delivered++;
        try
        {
            _handler(new MessageView(in operation, this));
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Manager.Events.ReportFault(this, e);
        }

        EndIfComplete();
    }

    /// <summary>Accepts no more messages if the maximum of messages has arrived. May be called on any thread.</summary>
    internal void StopIfComplete()
    {
        if (IsComplete)
        {
            _active = false;
        }
    }

    /// <summary>Ends the subscription if the maximum of messages has arrived. Called on the loop.</summary>
    internal void EndIfComplete()
    {
        if (IsComplete)
        {
            Manager.Batch.Flush();
            Manager.Remove(this);
        }
    }

    private bool IsComplete => Volatile.Read(ref _max) is > 0 and int max && Delivered >= max;

    /// <summary>An upper limit of the bytes that <see cref="WriteTo"/> writes.</summary>
    internal int WireSize => Encoding.UTF8.GetByteCount(Filter) + Encoding.UTF8.GetByteCount(Queue ?? "") + (2 * OperationWriter.LineOverhead);

    /// <summary>
    /// Writes SUB. If there is a maximum of messages, also writes UNSUB with the number of messages that may still
    /// arrive. Returns the length.
    /// </summary>
    internal int WriteTo(Span<byte> destination)
    {
        // The encoded bytes are not stored for the next server, because they would be a tenth of the memory of a
        // subscription.
        Span<byte> stack = stackalloc byte[2 * OnStack];
        int length = OperationWriter.Subscribe(destination, Bytes(Filter, stack[..OnStack]), Bytes(Queue ?? "", stack[OnStack..]), Sid);
        long max = Volatile.Read(ref _max);
        if (max != 0)
        {
            // A server starts to count at its own SUB.
            length += OperationWriter.Unsubscribe(destination[length..], Sid, Math.Max(1, max - Delivered));
        }

        return length;
    }

    private static ReadOnlySpan<byte> Bytes(string text, Span<byte> stack)
        => Encoding.UTF8.TryGetBytes(text, stack, out int length) ? stack[..length] : Encoding.UTF8.GetBytes(text);
}
