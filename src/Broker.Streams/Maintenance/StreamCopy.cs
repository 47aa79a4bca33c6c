namespace Broker.Streams;

/// <summary>
/// Copies streams from one store into another one, with the sequences and times of messages, and with the progress of
/// consumers.
/// </summary>
internal sealed class StreamCopy(StreamStore target, Action<long> advance, CancellationToken stop)
{
    private byte[] _buffer = [];

    /// <summary>Copies a stream. If this fails, the target does not have the stream.</summary>
    /// <exception cref="StoreException">The target has a stream of this name, or cannot be written.</exception>
    internal void Copy(StoredStream stream)
    {
        if (target.Create(stream.Name, stream.Limits, stream.Configuration, first: stream.First) == QueueStatus.Refused)
        {
            throw new StoreException($"The stream '{stream.Name}' exists already.");
        }

        Commit();
        StoredStream copy = target.Find(stream.Name)!;
        try
        {
            CopyMessages(stream, copy);
            using (StoreBatch batch = target.Begin())
            {
                // The last messages can be deleted. Their sequences are not used again.
                target.Queue.Collecting.AddStream(copy.Id, copy.Name, stream.Limits, stream.Configuration, (stream.First, stream.Last), batch.Time);
            }

            Commit();
        }
        catch
        {
            using (StoreBatch batch = target.Begin())
            {
                batch.DeleteStream(copy);
            }

            target.Commit();
            throw;
        }
    }

    private void CopyMessages(StoredStream stream, StoredStream copy)
    {
        for (int i = 0; i < stream.Entries.Count; i++)
        {
            stop.ThrowIfCancellationRequested();
            MessageEntry entry = stream.Entries[i];
            if (entry.Segment is not { } segment)
            {
                continue;
            }

            if (!RecordReader.TryRead(segment, entry.Offset, entry.Size, ref _buffer, out RecordHead head) || head.Sequence != entry.Sequence)
            {
                throw new StoreException($"The message {entry.Sequence} of the stream '{stream.Name}' has changed since it was checked.");
            }

            if (!target.Queue.TryImport(copy, head, _buffer))
            {
                Commit();
                if (!target.Queue.TryImport(copy, head, _buffer))
                {
                    throw new StoreException($"The message {entry.Sequence} of the stream '{stream.Name}' cannot be stored: it is too large.");
                }
            }

            advance(entry.Size);
        }

        Commit();
        foreach (StoredConsumer consumer in stream.Consumers.Values)
        {
            using (StoreBatch batch = target.Begin())
            {
                batch.PutConsumer(copy, consumer.Name, consumer.Configuration, consumer.Progress.ToArray());
            }

            Commit();
        }
    }

    private void Commit()
    {
        while (target.Commit())
        {
        }

        if (target.Failure is { } failure)
        {
            throw new StoreException($"The copy cannot be written: {failure.Message}", failure);
        }
    }
}
