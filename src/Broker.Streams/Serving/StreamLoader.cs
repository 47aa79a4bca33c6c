using System.Text.Json;

namespace Broker.Streams;

/// <summary>Reads the streams of a store at its start.</summary>
internal static class StreamLoader
{
    /// <summary>Reads the configuration of a stream and the message ids that its window still contains.</summary>
    /// <exception cref="StoreException">The configuration is of a newer version.</exception>
    internal static ServedStream Load(StreamStore store, StoredStream stored, TimeProvider clock)
    {
        StoredConfig config;
        try
        {
            config = JsonSerializer.Deserialize(stored.Configuration, WireJson.Default.StoredConfig) ?? throw new JsonException("it is empty");
        }
        catch (JsonException e)
        {
            throw new StoreException($"The configuration of the stream '{stored.Name}' cannot be read: {e.Message}", e);
        }

        var stream = new ServedStream(store, stored, config);
        LoadIds(stream, clock.GetUtcNow().UtcTicks - (config.Config.DuplicateWindow / TimeSpan.NanosecondsPerTick));
        return stream;
    }

    /// <summary>Reads the consumers of a stream.</summary>
    internal static List<ServedConsumer> LoadConsumers(ServedStream stream, ConsumerHost host)
    {
        var all = new List<ServedConsumer>();
        foreach (StoredConsumer stored in stream.Stored.Consumers.Values)
        {
            try
            {
                StoredConsumerConfig config = JsonSerializer.Deserialize(stored.Configuration, WireJson.Default.StoredConsumerConfig) ?? throw new JsonException("it is empty");
                var progress = new ConsumerProgress();
                progress.TryRead(stored.Progress.ToArray());
                all.Add(new ServedConsumer(host, stream, config, progress));
            }
            catch (JsonException e)
            {
                throw new StoreException($"The configuration of the consumer '{stored.Name}' of the stream '{stream.Name}' cannot be read: {e.Message}", e);
            }
        }

        return all;
    }

    // Only messages with headers are read, because a stream can have received gigabytes within its window.
    private static void LoadIds(ServedStream stream, long since)
    {
        var buffer = new MessageBuffer();
        ulong last = stream.Store.Summarize(stream.Stored).Last;
        foreach (ulong sequence in stream.Store.WithHeaders(stream.Stored, since))
        {
            if (stream.Store.Read(stream.Stored, sequence, buffer) != ReadStatus.Found)
            {
                return;
            }

            ReadOnlySpan<byte> id = PublishHeaders.Read(buffer.Headers).MessageId;
            if (sequence == last)
            {
                stream.SetLastId(id);
            }

            if (!id.IsEmpty && buffer.Time.Ticks >= since)
            {
                stream.Duplicates.Add(id, sequence, buffer.Time.Ticks).IsStored = true;
            }
        }
    }
}
