using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.LoadTest.Soak;

/// <summary>Publishes into the streams of a soak at a steady rate, and consumes what it publishes.</summary>
internal sealed class SoakTraffic(StreamsClient streams, SoakSettings settings, SoakCounts counts)
{
    private const int Subjects = 500;
    private const int MaxInFlight = 1000;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    // A worker keeps its message until the server delivers it again, because it forgets it or asks for a delay.
    private const int Forgotten = 499;
    private const int Delayed = 97;

    private readonly Dictionary<string, SoakLedger[]> _ledgers = new(StringComparer.Ordinal)
    {
        [SoakStreams.Queue] = [new SoakLedger()],
        [SoakStreams.Interest] = [new SoakLedger(), new SoakLedger()],
    };

    /// <summary>The acknowledged messages that a consumer has not received.</summary>
    public int Outstanding => _ledgers.Values.Sum(static ledgers => ledgers.Sum(static ledger => ledger.Outstanding));

    /// <summary>Publishes until the token is cancelled, and waits for the acknowledgements.</summary>
    public async Task PublishAsync(CancellationToken stopping)
    {
        using var inFlight = new SemaphoreSlim(MaxInFlight);
        var clock = Stopwatch.StartNew();
        long number = 0;
        while (!stopping.IsCancellationRequested)
        {
            // A busy machine can delay a publish. The soak does not make up for it, so that the rate stays steady.
            long due = (long)(clock.Elapsed.TotalSeconds * settings.Rate);
            number = Math.Max(number, due - settings.Rate);
            for (; number < due; number++)
            {
                await inFlight.WaitAsync(CancellationToken.None);
                _ = PublishAsync(number, inFlight);
            }

            await Task.Delay(Pause, CancellationToken.None);
        }

        for (int i = 0; i < MaxInFlight; i++)
        {
            await inFlight.WaitAsync(CancellationToken.None);
        }
    }

    /// <summary>Consumes and acknowledges the messages of one consumer until the token is cancelled.</summary>
    public async Task ConsumeAsync(int reader, CancellationToken stopping)
    {
        (string stream, string name) = SoakStreams.Readers[reader];
        SoakLedger? ledger = _ledgers.TryGetValue(stream, out SoakLedger[]? ledgers)
            ? ledgers[ledgers.Length > 1 && string.Equals(name, SoakStreams.Readers[^1].Consumer, StringComparison.Ordinal) ? 1 : 0]
            : null;
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                StreamConsumer consumer = await streams.GetConsumerAsync(stream, name, stopping);
                await foreach (StreamMessage message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 200 }, stopping))
                {
                    counts.OnConsumed(message);
                    await HandleAsync(message, ledger);
                }
            }
            catch (OperationCanceledException) when (stopping.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
            {
                counts.OnError(e);
                await Task.Delay(Pause, CancellationToken.None);
            }
        }
    }

    private static async Task HandleAsync(StreamMessage message, SoakLedger? ledger)
    {
        if (message.Delivered == 1 && message.Sequence % Forgotten == 0)
        {
            return;
        }

        if (message.Delivered == 1 && message.Sequence % Delayed == 0)
        {
            await message.NakAsync(TimeSpan.FromSeconds(1));
            return;
        }

        ledger?.Receive(BinaryPrimitives.ReadInt64LittleEndian(message.Body.Span));
        if (message.Sequence % 10 == 0)
        {
            await message.AckAndConfirmAsync();
        }
        else
        {
            await message.AckAsync();
        }
    }

    private static string StreamOf(long number) => (number % 10) switch
    {
        < 3 => SoakStreams.Aged,
        < 5 => SoakStreams.Sized,
        < 7 => SoakStreams.Queue,
        < 8 => SoakStreams.Interest,
        _ => SoakStreams.Latest,
    };

    private async Task PublishAsync(long number, SemaphoreSlim inFlight)
    {
        string stream = StreamOf(number);
        SoakLedger[] ledgers = _ledgers.GetValueOrDefault(stream) ?? [];
        byte[] body = new byte[settings.BodyBytes];
        BinaryPrimitives.WriteInt64LittleEndian(body, number);
        string subject = string.Create(CultureInfo.InvariantCulture, $"{stream.ToLowerInvariant()}.{number / 10 % Subjects}");
        foreach (SoakLedger ledger in ledgers)
        {
            ledger.Expect(number);
        }

        counts.OnPublished();
        try
        {
            string? id = number % 3 == 0 ? number.ToString(CultureInfo.InvariantCulture) : null;
            await streams.PublishAsync(subject, body, new StreamPublishOptions { MessageId = id });
            counts.OnAcknowledged();
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            counts.OnError(e);
            foreach (SoakLedger ledger in ledgers)
            {
                ledger.Forget(number);
            }
        }
        finally
        {
            inFlight.Release();
        }
    }
}
