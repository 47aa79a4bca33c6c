using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Subjects;
using Broker.Protocol.Writing;
using Broker.Transport;

namespace Broker.Client;

public sealed partial class BrokerConnection
{
    private bool _draining;

    /// <summary>
    /// Subscribes. The SUB is on its way when the call returns, or will be sent to the next server before anything else.
    /// </summary>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="handler">Called for each message, on <see cref="Loop"/>.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <param name="state">For the handler's use: <see cref="Subscription.State"/>.</param>
    /// <exception cref="ArgumentException">The filter or the queue's name is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or being drained.</exception>
    public Subscription Subscribe(string filter, MessageHandler handler, string? queue = null, object? state = null)
        => Subscribe(filter, handler, queue, state, null);

    /// <summary>Subscribes with a queue between the connection and whoever reads.</summary>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="options">How much may wait, and what becomes of the rest. Null for the defaults.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <exception cref="ArgumentException">The filter, the queue's name or an option is not valid.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed or being drained.</exception>
    public QueuedSubscription SubscribeQueued(string filter, QueueOptions? options = null, string? queue = null)
    {
        options ??= new QueueOptions();
        options.Validate();
        var queued = new QueuedSubscription(options);
        Subscribe(filter, queued.Take, queue, null, queued);
        return queued;
    }

    /// <summary>
    /// Subscribes and reads: <c>await foreach (Message message in connection.ReadAsync("orders.>"))</c>. Subscribed from the first step
    /// on, and until the loop is left, the token is cancelled or the connection has ended.
    /// </summary>
    /// <inheritdoc cref="SubscribeQueued"/>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="options">How much may wait, and what becomes of the rest. Null for the defaults.</param>
    /// <param name="queue">The queue group, if any: each message then goes to one member.</param>
    /// <param name="cancellationToken">Ends the wait for the next message with an <see cref="OperationCanceledException"/>.</param>
    public async IAsyncEnumerable<Message> ReadAsync(
        string filter, QueueOptions? options = null, string? queue = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        QueuedSubscription subscription = SubscribeQueued(filter, options, queue);
        await using (subscription.ConfigureAwait(false))
        {
            await foreach (Message message in subscription.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                yield return message;
            }
        }
    }

    private Subscription Subscribe(string filter, MessageHandler handler, string? queue, object? state, QueuedSubscription? queued)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentNullException.ThrowIfNull(handler);
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        if (!Subject.IsValidFilter(bytes) || bytes.Length > Options.MaxControlLine / 2)
        {
            throw new ArgumentException(
                "A filter consists of tokens separated by dots, none of them empty, without white space, > only at the end.", nameof(filter));
        }

        if (queue is not null && (queue.Length is 0 or > 256 || queue.AsSpan().IndexOfAny(" \t\r\n\0") >= 0))
        {
            throw new ArgumentException("A queue's name has no white space and at most 256 characters.", nameof(queue));
        }

        var subscription = new Subscription(this, filter, queue, handler, state) { Queued = queued };
        if (queued is not null)
        {
            queued.Subscription = subscription;
        }

        lock (_gate)
        {
            if (_state == ConnectionState.Closed || _draining)
            {
                throw new ConnectionLostException("The connection is closed or being drained.");
            }

            Subscriptions.Add(subscription);
            if (_link is { } link)
            {
                WriteSubscription(link.Transport.ExternalStage, subscription);
                link.Transport.FlushExternal();
            }
        }

        return subscription;
    }

    internal async Task DrainAsync(Subscription subscription, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (Subscriptions.Find(subscription.Sid) != subscription)
            {
                return;
            }

            subscription.IsDraining = true;
            WriteUnsubscribe(subscription, 0);
        }

        try
        {
            await PingAsync(cancellationToken).ConfigureAwait(false);
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
        lock (_gate)
        {
            if (Subscriptions.Remove(subscription))
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
        lock (_gate)
        {
            Subscriptions.Remove(subscription);
        }
    }

    internal void LimitSubscription(Subscription subscription, long max)
    {
        lock (_gate)
        {
            if (Subscriptions.Find(subscription.Sid) != subscription)
            {
                return;
            }

            WriteUnsubscribe(subscription, max);
        }

        // Those that came before this are counted on the loop alone.
        Loop.Run(subscription.EndIfComplete);
    }

    // Under the gate.
    private void WriteUnsubscribe(Subscription subscription, long max)
    {
        if (_link is { } link)
        {
            OutboundStage stage = link.Transport.ExternalStage;
            stage.Advance(OperationWriter.Unsubscribe(stage.GetSpan(OperationWriter.LineOverhead), subscription.Sid, max));
            link.Transport.FlushExternal();
        }
    }

    private static void WriteSubscription(OutboundStage stage, Subscription subscription)
        => stage.Advance(subscription.WriteTo(stage.GetSpan(subscription.WireSize)));
}
