using System.Text;
using Broker.Client.Errors;
using Broker.Protocol.Subjects;
using Broker.Protocol.Writing;
using Broker.Transport;

namespace Broker.Client.Subscriptions;

/// <summary>The subscriptions of a connection, and what is said to the server about them.</summary>
internal sealed class Subscriber(ConnectionCore core)
{
    private const int LongestQueueName = 256;

    // One for all: a queue's own would be a delegate for each.
    private static readonly MessageHandler TakeQueued = static (in message) => message.Subscription.Queued!.Take(in message);

    private bool _draining;

    /// <summary>Collects what is read for one queue. On the loop.</summary>
    internal MessageBatch Batch { get; } = new();

    /// <summary>Changed under the gate, looked up on the loop.</summary>
    internal SubscriptionTable Table { get; } = new();

    internal Subscription Subscribe(string filter, MessageHandler handler, string? queue, object? state, QueuedSubscription? queued = null)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentNullException.ThrowIfNull(handler);
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        if (!Subject.IsValidFilter(bytes) || bytes.Length > core.Options.MaxControlLine / 2)
        {
            throw new ArgumentException(
                "A filter consists of tokens separated by dots, none of them empty, without white space, > only at the end.", nameof(filter));
        }

        if (queue is not null && (queue.Length is 0 or > LongestQueueName || queue.AsSpan().IndexOfAny(" \t\r\n\0") >= 0))
        {
            throw new ArgumentException("A queue's name has no white space and at most 256 characters.", nameof(queue));
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
                throw new ConnectionLostException("The connection is closed or being drained.");
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
        Subscribe(filter, TakeQueued, queue, null, queued);
        return queued;
    }

    /// <summary>Tells a new server of all. Under the gate, before anything else is written.</summary>
    internal void Replay(LoopWriteBuffer stage)
    {
        if (Table.Count == 0)
        {
            return;
        }

        foreach (Subscription subscription in Table.ToArray())
        {
            if (!subscription.IsDraining)
            {
                Write(stage, subscription);
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
            // Then nothing more comes either.
        }
        finally
        {
            Forget(subscription);
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

    /// <summary>The subscription has had its last message, which the server knows. On the loop.</summary>
    internal void Forget(Subscription subscription)
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

        // At once: an answer to a PING sent after this could be read before the loop does what it is asked. The loop alone knows whether another
        // one comes at this moment, and has what is not in a queue yet.
        subscription.StopIfComplete();
        core.Loop.Run(subscription.EndIfComplete);
    }

    /// <summary>Takes no more, tells the server to send no more, and keeps taking what is on its way.</summary>
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

    /// <summary>The connection has ended.</summary>
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

    // Under the gate.
    private void WriteUnsubscribe(Subscription subscription, long max)
    {
        if (core.Link is { } link)
        {
            LoopWriteBuffer stage = link.Transport.ExternalWriteBuffer;
            stage.Advance(OperationWriter.Unsubscribe(stage.GetSpan(OperationWriter.LineOverhead), subscription.Sid, max));
            link.Transport.FlushExternal();
        }
    }

    private static void Write(LoopWriteBuffer stage, Subscription subscription)
        => stage.Advance(subscription.WriteTo(stage.GetSpan(subscription.WireSize)));
}
