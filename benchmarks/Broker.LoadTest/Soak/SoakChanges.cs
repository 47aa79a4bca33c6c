using System.Globalization;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.LoadTest.Soak;

/// <summary>Creates, uses and deletes streams, consumers, keys and connections during a soak.</summary>
internal sealed class SoakChanges(StreamsClient streams, Bucket bucket, string server, SoakSettings settings, SoakCounts counts)
{
    private const int PutsPerKey = 5;
    private const int KeptKeys = 200;

    /// <summary>Puts, gets and purges keys until the token is cancelled. Each key lives for a while.</summary>
    public async Task ChangeKeysAsync(CancellationToken stopping)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(10.0 / settings.Rate));
        for (long number = 0; await NextAsync(pace, stopping); number++)
        {
            await TryAsync(async () =>
            {
                string key = Key(number / PutsPerKey);
                string value = number.ToString(CultureInfo.InvariantCulture);
                await bucket.PutAsync(key, value, CancellationToken.None);
                BucketEntry? entry = await bucket.FindAsync(key, CancellationToken.None);
                if (!string.Equals(entry?.Text, value, StringComparison.Ordinal))
                {
                    counts.OnWrong($"the key {key} has the value '{entry?.Text}' instead of '{value}'");
                }

                if (number % PutsPerKey == 0 && number / PutsPerKey >= KeptKeys)
                {
                    await bucket.PurgeAsync(Key((number / PutsPerKey) - KeptKeys), revision: null, settings.Age, CancellationToken.None);
                    counts.OnChange();
                }
            });
        }
    }

    /// <summary>Creates and deletes a stream with consumers each second until the token is cancelled.</summary>
    public async Task ChangeStreamsAsync(CancellationToken stopping)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(1));
        for (long number = 0; await NextAsync(pace, stopping); number++)
        {
            await TryAsync(() => CycleAsync(number));
        }
    }

    /// <summary>
    /// Reads the stream with an age in order, over a new connection each time, until the token is cancelled.
    /// </summary>
    public async Task ReadAsync(CancellationToken stopping)
    {
        using var pace = new PeriodicTimer(TimeSpan.FromSeconds(10));
        while (await NextAsync(pace, stopping))
        {
            await TryAsync(async () =>
            {
                await using BrokerConnection connection = await BrokerConnection.ConnectAsync(server, CancellationToken.None);
                using StreamsClient reader = connection.Streams();
                int left = 500;
                await foreach (StreamMessage message in reader.ReadOrderedAsync(SoakStreams.Aged, cancellationToken: CancellationToken.None))
                {
                    if (--left == 0 || message.Pending == 0)
                    {
                        break;
                    }
                }

                await reader.FindLastMessageAsync(SoakStreams.Latest, "latest.1", direct: true, CancellationToken.None);
                counts.OnChange();
            });
        }
    }

    private static string Key(long number) => string.Create(CultureInfo.InvariantCulture, $"key.{number}");

    private static async Task<bool> NextAsync(PeriodicTimer pace, CancellationToken stopping)
    {
        try
        {
            return await pace.WaitForNextTickAsync(stopping);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task CycleAsync(long number)
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"CHANGED_{number}");
        StorageType storage = number % 4 == 3 ? StorageType.Memory : StorageType.File;
        await streams.CreateStreamAsync(new StreamConfig(name, name + ".>") { Storage = storage }, CancellationToken.None);
        byte[] body = new byte[settings.BodyBytes];
        for (int i = 0; i < 20; i++)
        {
            await streams.PublishAsync(string.Create(CultureInfo.InvariantCulture, $"{name}.{i}"), body);
        }

        StreamConsumer durable = await streams.CreateConsumerAsync(name, new ConsumerConfig("durable"), CancellationToken.None);
        await foreach (StreamMessage message in durable.FetchAsync(new FetchOptions { MaxMessages = 10 }, CancellationToken.None))
        {
            await message.AckAsync();
        }

        if (number % 2 == 0)
        {
            await streams.DeleteConsumerAsync(name, "durable", CancellationToken.None);
        }

        // The server removes this consumer, because nobody uses it. Its stream stays.
        await streams.CreateConsumerAsync(SoakStreams.Latest, new ConsumerConfig { InactiveThreshold = TimeSpan.FromSeconds(5) }, CancellationToken.None);
        await streams.PurgeStreamAsync(name, options: null, CancellationToken.None);
        await streams.DeleteStreamAsync(name, CancellationToken.None);
        counts.OnChange();
    }

    private async Task TryAsync(Func<Task> change)
    {
        try
        {
            await change();
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            counts.OnError(e);
        }
    }
}
