using System.Text;
using Broker.Protocol.Parsing;
using Broker.Protocol.Writing;

namespace Broker.Client.Subscriptions;

/// <summary>
/// An interest in the subjects that a filter stands for. It survives the loss of a server: the next one is told of it
/// before anything else. Safe for any thread. Disposing it is unsubscribing.
/// </summary>
public sealed class Subscription : IDisposable
{
    private const int OnStack = 256;

    private readonly MessageHandler _handler;
    private volatile bool _active = true;
    private long _delivered;
    private long _max;

    internal Subscription(BrokerConnection connection, string filter, string? queue, MessageHandler handler, object? state)
    {
        Connection = connection;
        Filter = filter;
        Queue = queue;
        State = state;
        _handler = handler;
    }

    /// <summary>The connection it belongs to.</summary>
    public BrokerConnection Connection { get; }

    /// <summary>The subject, in which <c>*</c> and <c>&gt;</c> are wildcards.</summary>
    public string Filter { get; }

    /// <summary>The queue group: each message goes to one of its members. Null for none.</summary>
    public string? Queue { get; }

    /// <summary>What was given to the subscribe for the handler's use.</summary>
    public object? State { get; }

    /// <summary>How many messages the handler was given.</summary>
    public long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Whether messages can still come.</summary>
    public bool IsActive => _active;

    /// <summary>Its number on the wire. Set once, before anybody else knows of it.</summary>
    internal ulong Sid { get; set; }

    /// <summary>Where its messages wait, if they do. Set before anybody else knows of it.</summary>
    internal QueuedSubscription? Queued { get; init; }

    /// <summary>Whether the server has been told to send no more, and another one need not be told of it. Under the connection's gate.</summary>
    internal bool IsDraining { get; set; }

    /// <summary>
    /// Ends it at once. On the loop no message comes after the return; on another thread one may still be being handled.
    /// Harmless when it has ended.
    /// </summary>
    public void Unsubscribe() => Connection.Core.Subscriber.Unsubscribe(this);

    /// <summary>
    /// Ends it once <paramref name="max"/> messages have come, counted from the beginning: at once when they have already.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is not positive.</exception>
    public void AutoUnsubscribe(long max)
    {
        // The server keeps this number in 32 bits.
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(max, int.MaxValue);
        Volatile.Write(ref _max, max);
        Connection.Core.Subscriber.Limit(this, max);
    }

    /// <summary>
    /// Ends it without loss: tells the server to send no more, and is done when all that was on its way has been given to the handler,
    /// or when the server is lost. Harmless when it has ended.
    /// </summary>
    /// <param name="cancellationToken">Ends it at once.</param>
    /// <exception cref="OperationCanceledException">Cancelled. It has ended all the same.</exception>
    public Task DrainAsync(CancellationToken cancellationToken = default) => Connection.Core.Subscriber.DrainAsync(this, cancellationToken);

    /// <inheritdoc/>
    public void Dispose() => Unsubscribe();

    internal void Deactivate()
    {
        _active = false;
        Queued?.End();
    }

    /// <summary>Gives a message to the handler. On the loop.</summary>
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
            Connection.Core.Events.ReportFault(this, e);
        }

        EndIfComplete();
    }

    /// <summary>Takes no more if the last message it was to have has come. Any thread.</summary>
    internal void StopIfComplete()
    {
        if (IsComplete)
        {
            _active = false;
        }
    }

    /// <summary>Ends it if the last message it was to have has come. On the loop.</summary>
    internal void EndIfComplete()
    {
        if (IsComplete)
        {
            Connection.Core.Subscriber.Batch.Flush();
            Connection.Core.Subscriber.Forget(this);
        }
    }

    private bool IsComplete => Volatile.Read(ref _max) is > 0 and long max && Delivered >= max;

    /// <summary>More than <see cref="WriteTo"/> writes.</summary>
    internal int WireSize => Encoding.UTF8.GetByteCount(Filter) + Encoding.UTF8.GetByteCount(Queue ?? "") + (2 * OperationWriter.LineOverhead);

    /// <summary>Writes SUB, and UNSUB with what is left of the maximum if there is one. Returns the length.</summary>
    internal int WriteTo(Span<byte> destination)
    {
        // Bytes of their own, kept for the next server, would be a tenth of what a subscription takes.
        Span<byte> stack = stackalloc byte[2 * OnStack];
        int length = OperationWriter.Subscribe(destination, Bytes(Filter, stack[..OnStack]), Bytes(Queue ?? "", stack[OnStack..]), Sid);
        long max = Volatile.Read(ref _max);
        if (max != 0)
        {
            // A server counts from its own SUB on.
            length += OperationWriter.Unsubscribe(destination[length..], Sid, Math.Max(1, max - Delivered));
        }

        return length;
    }

    private static ReadOnlySpan<byte> Bytes(string text, Span<byte> stack)
        => Encoding.UTF8.TryGetBytes(text, stack, out int length) ? stack[..length] : Encoding.UTF8.GetBytes(text);
}
