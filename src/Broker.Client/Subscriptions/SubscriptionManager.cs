using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Client;

/// <summary>The subscriptions of a connection, and the commands that the server receives about them.</summary>
internal sealed class SubscriptionManager(ConnectionCore core)
{
    private const int MaxQueueNameLength = 256;

    // One delegate for all queues. A delegate for each queue would cost memory.
    private static readonly MessageHandler QueueHandler = static (in message) => message.Subscription.Queued!.Enqueue(in message);

    private bool _draining;

    /// <summary>Collects the messages that are read for one queue. Used on the loop.</summary>
    internal MessageBatch Batch { get; } = new();

    /// <summary>Changed under the gate. The loop reads it without the gate.</summary>
    internal SubscriptionIdTable Table { get; } = new();

    internal Subscription Subscribe(string filter, MessageHandler handler, string? queue, object? state, QueuedSubscription? queued = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentNullException.ThrowIfNull(handler);
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        if (!Subject.IsValidFilter(bytes) || bytes.Length > core.Options.MaxControlLine / 2)
        {
            throw new ArgumentException(
                "A filter must consist of non-empty tokens separated by dots, without white space, and with > only at the end.", nameof(filter));
        }

        if (queue is not null && (queue.Length is 0 or > MaxQueueNameLength || queue.AsSpan().IndexOfAny(" \t\r\n\0") >= 0))
        {
            throw new ArgumentException("The name of a queue group must have 1 to 256 characters and no white space.", nameof(queue));
        }

        var subscription = new Subscription(core.Connection, filter, queue, handler, state) { Queued = queued };
        if (queued is not null)
        {
            queued.Subscription = subscription;
        }

        lock (core.Gate)
        {
            if (core.State == ConnectionState.Closed || _draining)
            {
                throw new ConnectionLostException("The connection is closed or is being drained.");
            }

            Table.Add(subscription);
            if (core.Link is { } link)
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
        Subscribe(filter, QueueHandler, queue, null, queued);
        return queued;
    }

    /// <summary>
    /// Sends all subscriptions to a new server. Called under the gate, before anything else is written.
    /// </summary>
    internal void ResubscribeAll(LoopWriteBuffer buffer)
    {
        if (Table.Count == 0)
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
        lock (core.Gate)
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
            await core.Barriers.PingAsync(cancellationToken).ConfigureAwait(false);
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
        lock (core.Gate)
        {
            if (Table.Remove(subscription))
            {
                WriteUnsubscribe(subscription, 0);
            }
        }

        subscription.Deactivate();
    }

    /// <summary>
    /// Removes a subscription after its last message. The server has ended it too. Called on the loop.
    /// </summary>
    internal void Remove(Subscription subscription)
    {
        subscription.Deactivate();
        lock (core.Gate)
        {
            Table.Remove(subscription);
        }
    }

    internal void Limit(Subscription subscription, long max)
    {
        lock (core.Gate)
        {
            if (Table.Find(subscription.Sid) != subscription)
            {
                return;
            }

            WriteUnsubscribe(subscription, max);
        }

        // This happens at once, because the answer to a later PING could be read before the loop runs the callback.
        // Only the loop knows whether another message is arriving now, and only the loop has the messages that are not
        // in a queue yet.
        subscription.StopIfComplete();
        core.Loop.Run(subscription.EndIfComplete);
    }

    /// <summary>
    /// Refuses new subscriptions and sends UNSUB for all existing ones, but still delivers the messages that are on
    /// their way.
    /// </summary>
    internal Subscription[] AnnounceDrain()
    {
        lock (core.Gate)
        {
            _draining = true;
            Subscription[] all = Table.ToArray();
            foreach (Subscription subscription in all)
            {
                WriteUnsubscribe(subscription, 0);
            }

            return all;
        }
    }

    /// <summary>Ends all subscriptions, because the connection has closed.</summary>
    internal void End()
    {
        Subscription[] all;
        lock (core.Gate)
        {
            all = Table.ToArray();
            foreach (Subscription subscription in all)
            {
                Table.Remove(subscription);
            }
        }

        foreach (Subscription subscription in all)
        {
            subscription.Deactivate();
        }
    }

    // Called under the gate.
    private void WriteUnsubscribe(Subscription subscription, long max)
    {
        if (core.Link is { } link)
        {
            LoopWriteBuffer buffer = link.Transport.ExternalWriteBuffer;
            buffer.Advance(OperationWriter.Unsubscribe(buffer.GetSpan(OperationWriter.LineOverhead), subscription.Sid, max));
            link.Transport.FlushExternal();
        }
    }

    private static void Write(LoopWriteBuffer buffer, Subscription subscription)
        => buffer.Advance(subscription.WriteTo(buffer.GetSpan(subscription.WireSize)));
}
