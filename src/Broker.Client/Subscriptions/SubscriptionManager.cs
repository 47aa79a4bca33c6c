using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Client;

/// <summary>The subscriptions of a connection, and the commands that the server receives about them.</summary>
internal sealed class SubscriptionManager(SharedState shared, BrokerConnection connection, BarrierQueue barriers, ISubscriptionEvents events)
{
    private const int MaxQueueNameLength = 256;

    // One delegate for all queues. A delegate for each queue would cost memory.
    private static readonly MessageHandler QueueHandler = static (in message) => message.Subscription.Queued!.Enqueue(in message);

    private bool _draining;

    internal BrokerConnection Connection => connection;

    internal ISubscriptionEvents Events => events;

    /// <summary>Collects the messages that are read for one queue. Used on the loop.</summary>
    internal MessageBatch Batch { get; } = new(new LargeQueues(shared.Loop));

    /// <summary>Changed under the gate. The loop reads it without the gate.</summary>
    internal SubscriptionIdTable Table { get; } = new();

    internal Subscription Subscribe(string filter, MessageHandler handler, string? queue, object? state, QueuedSubscription? queued = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentNullException.ThrowIfNull(handler);
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        if (!Subject.IsValidFilter(bytes) || bytes.Length > shared.Options.MaxControlLine / 2)
        {
            throw new ArgumentException(
                "A filter must consist of non-empty tokens separated by dots, without white space, and with > only at the end.", nameof(filter));
        }

        if (queue is not null && (queue.Length is 0 or > MaxQueueNameLength || queue.AsSpan().IndexOfAny(" \t\r\n\0") >= 0))
        {
            throw new ArgumentException("The name of a queue group must have 1 to 256 characters and no white space.", nameof(queue));
        }

        var subscription = new Subscription(this, filter, queue, handler, state) { Queued = queued };
        if (queued is not null)
        {
            queued.Subscription = subscription;
        }

        lock (shared.Gate)
        {
            if (shared.State == ConnectionState.Closed || _draining)
            {
                throw new ConnectionLostException("The connection is closed or is being drained.");
            }

            Table.Add(subscription);
            if (shared.Link is { } link)
            {
                Write(link.Transport.ExternalWriteBuffer, subscription);
                link.Transport.FlushExternal();
            }
        }

        return subscription;
    }

    internal QueuedSubscription SubscribeQueued(string filter, QueueOptions? options, string? queue)
    {
        options ??= QueueOptions.Default;
        options.Validate();
        var queued = new QueuedSubscription(options);
        Subscription subscription = Subscribe(filter, QueueHandler, queue, null, queued);
        if (options.IdleTimeout is { } idle)
        {
            IdleWatch.Start(shared.Loop, subscription, idle);
        }

        return queued;
    }

    /// <summary>
    /// Sends all subscriptions to a new server. Called under the gate, before anything else is written.
    /// </summary>
    internal void ResubscribeAll(LoopWriteBuffer buffer)
    {
        if (Table.Count == 0 || _draining)
        {
            return;
        }

        foreach (Subscription subscription in Table.ToArray())
        {
            if (!subscription.IsDraining)
            {
                Write(buffer, subscription);
            }
        }
    }

    internal async Task DrainAsync(Subscription subscription, CancellationToken cancellationToken)
    {
        lock (shared.Gate)
        {
            if (Table.Find(subscription.Sid) != subscription)
            {
                return;
            }

            subscription.IsDraining = true;
            WriteUnsubscribe(subscription, 0);
        }

        try
        {
            await barriers.PingAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ConnectionLostException)
        {
            // The server is lost, so no more messages come.
        }
        finally
        {
            Remove(subscription);
        }
    }

    internal void Unsubscribe(Subscription subscription)
    {
        lock (shared.Gate)
        {
            if (Table.Remove(subscription))
            {
                WriteUnsubscribe(subscription, 0);
            }
        }

        subscription.Deactivate();
    }

    /// <summary>
    /// Ends each <see cref="QueuedSubscription"/> that the server has refused, so that its reader does not wait in
    /// vain. Called on the loop.
    /// </summary>
    /// <remarks>
    /// A subscription that calls a handler goes on: nobody waits for its messages, and the next server may accept it.
    /// </remarks>
    internal void Refuse(PermissionViolation violation, string text)
    {
        if (violation.Kind != ViolationKind.Subscribe)
        {
            return;
        }

        Subscription[] refused;
        lock (shared.Gate)
        {
            refused = [.. Table.ToArray().Where(s => s.Queued is not null && IsMeant(s, violation))];
        }

        foreach (Subscription subscription in refused)
        {
            Remove(subscription, ServerErrorException.For(text));
        }
    }

    /// <summary>
    /// Ends a subscription, because its reader was cancelled. The messages that have arrived can still be read.
    /// </summary>
    internal void Cancel(QueuedSubscription queued, CancellationToken token)
    {
        Subscription subscription = queued.Subscription;
        lock (shared.Gate)
        {
            if (Table.Find(subscription.Sid) != subscription)
            {
                return;
            }

            subscription.IsDraining = true;
            WriteUnsubscribe(subscription, 0);
        }

        // Only the loop has the messages that are not in the queue yet.
        shared.Loop.Run(() =>
        {
            Batch.Flush();
            Remove(subscription, new OperationCanceledException(token));
        });
    }

    /// <summary>
    /// Removes a subscription after its last message. The server has ended it too. Called on the loop.
    /// </summary>
    internal void Remove(Subscription subscription, Exception? error = null)
    {
        lock (shared.Gate)
        {
            Table.Remove(subscription);
        }

        // Last: a reader that this wakes up finds the subscription removed.
        subscription.Deactivate(error);
    }

    internal void Limit(Subscription subscription, long max)
    {
        lock (shared.Gate)
        {
            if (Table.Find(subscription.Sid) != subscription)
            {
                return;
            }

            WriteUnsubscribe(subscription, max);
        }

        // StopIfComplete runs at once, because the answer to a later PING could be read before the loop runs
        // EndIfComplete. EndIfComplete runs on the loop, because only the loop knows whether another message is
        // arriving now, and only the loop has the messages that are not in a queue yet.
        subscription.StopIfComplete();
        shared.Loop.Run(subscription.EndIfComplete);
    }

    /// <summary>Sends UNSUB for subscriptions, but still delivers the messages that are on their way.</summary>
    /// <param name="forClose">Whether the connection closes, so that new subscriptions are refused.</param>
    /// <param name="staying">The subscription for replies to requests, which stays. Null if there is none.</param>
    internal Subscription[] AnnounceDrain(bool forClose, Subscription? staying = null)
    {
        lock (shared.Gate)
        {
            _draining |= forClose;
            Subscription[] all = [.. Table.ToArray().Where(s => s != staying)];
            foreach (Subscription subscription in all)
            {
                subscription.IsDraining = true;
                WriteUnsubscribe(subscription, 0);
            }

            return all;
        }
    }

    /// <summary>Ends all subscriptions, because the connection has closed.</summary>
    /// <param name="cause">Why the connection has given up. Null if its owner has closed it.</param>
    internal void End(Exception? cause)
    {
        Subscription[] all;
        lock (shared.Gate)
        {
            all = Table.ToArray();
            foreach (Subscription subscription in all)
            {
                Table.Remove(subscription);
            }
        }

        foreach (Subscription subscription in all)
        {
            subscription.Deactivate(cause is null ? null : ConnectionLostException.ForOneOfMany(cause));
        }
    }

    private static bool IsMeant(Subscription subscription, PermissionViolation violation)
        => violation.Sid is { } sid
            ? subscription.Sid == sid
            : string.Equals(subscription.Queue, violation.Queue, StringComparison.Ordinal)
                && string.Equals(subscription.Filter, violation.Subject, StringComparison.Ordinal);

    // Called under the gate.
    private void WriteUnsubscribe(Subscription subscription, long max)
    {
        if (shared.Link is { } link)
        {
            LoopWriteBuffer buffer = link.Transport.ExternalWriteBuffer;
            buffer.Advance(OperationWriter.Unsubscribe(buffer.GetSpan(OperationWriter.LineOverhead), subscription.Sid, max));
            link.Transport.FlushExternal();
        }
    }

    private static void Write(LoopWriteBuffer buffer, Subscription subscription)
        => buffer.Advance(subscription.WriteTo(buffer.GetSpan(subscription.WireSize)));
}
