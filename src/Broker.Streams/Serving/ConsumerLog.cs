namespace Broker.Streams;

/// <summary>
/// The changes of a consumer that the log does not have yet, and the confirmations that wait for them. A consumer in
/// memory has no log: its confirmations wait for nothing.
/// </summary>
internal sealed class ConsumerLog(ConsumerHost host, ServedConsumer consumer)
{
    // The changes for the log, above which all of the progress is written in place of them.
    private const int MaxChangeBytes = 1024 * 1024;

    private readonly ByteWriter _changes = new();
    private readonly List<byte[]> _confirmations = [];
    private bool _isChanged;
    private bool _needsAll;

    /// <summary>Adds a delivery.</summary>
    internal void Deliver(ulong sequence, ulong number, int deliveries, bool isPending)
    {
        if (consumer.IsStored)
        {
            ConsumerProgress.WriteDelivery(_changes, sequence, number, deliveries, isPending);
            MarkChanged();
        }
    }

    /// <summary>Adds an acknowledgement of a message, or of all messages up to it.</summary>
    internal void Acknowledge(ulong sequence, bool withAllBefore = false)
    {
        if (consumer.IsStored)
        {
            ConsumerProgress.WriteAcknowledgement(_changes, sequence, withAllBefore);
            MarkChanged();
        }
    }

    /// <summary>Answers a subject when all changes so far are on the disk.</summary>
    internal void Confirm(ReadOnlySpan<byte> reply)
    {
        _confirmations.Add(reply.ToArray());
        MarkChanged();
        host.Hurry();
    }

    /// <summary>Queues the changes for the log. Returns false if it must be tried again.</summary>
    internal bool TryFlush(StoreReports reports, PendingReplies pending)
    {
        if (!consumer.IsStored || consumer.IsDeleted)
        {
            foreach (byte[] reply in _confirmations)
            {
                host.Responder.Publish(reply, []);
            }

            Clear();
            return true;
        }

        ServedStream stream = consumer.Stream;
        using StoreBatch batch = stream.Store.Begin();
        QueueStatus status = _needsAll
            ? batch.PutConsumer(stream.Stored, consumer.Name, consumer.ConfigurationOf(), consumer.Progress.ToArray())
            : batch.ChangeConsumer(stream.Stored, consumer.Name, _changes.Written);
        if (_needsAll && status == QueueStatus.TooLarge)
        {
            // With very many pending messages, all of the progress is larger than its changes.
            status = batch.ChangeConsumer(stream.Stored, consumer.Name, _changes.Written);
        }

        if (status == QueueStatus.Full)
        {
            _needsAll |= _changes.Length > MaxChangeBytes;
            return false;
        }

        foreach (byte[] reply in _confirmations)
        {
            if (status == QueueStatus.Queued)
            {
                PendingReply confirmation = pending.Rent(reply);
                confirmation.IsConfirmation = true;
                batch.Complete(reports, pending.Add(confirmation));
            }
        }

        Clear();
        return true;
    }

    private void Clear()
    {
        _confirmations.Clear();
        _changes.Clear();
        _isChanged = false;
        _needsAll = false;
    }

    private void MarkChanged()
    {
        if (!_isChanged)
        {
            _isChanged = true;
            host.Add(this);
        }
    }
}
