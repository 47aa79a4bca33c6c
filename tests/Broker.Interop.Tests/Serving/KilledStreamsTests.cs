using System.Globalization;
using System.Text;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Kills a broker with streams, and starts it again on the same directory.</summary>
public sealed class KilledStreamsTests : IDisposable
{
    private const int Rounds = 5;
    private const int InFlight = 200;
    private const int AcknowledgedPerRound = 2000;

    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("streams-");

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task Every_acknowledged_message_is_there_under_its_sequence_after_kill_9()
    {
        var acknowledged = new Dictionary<ulong, string>();
        for (int round = 0; round < Rounds; round++)
        {
            await using BrokerProcess broker = await StartAsync();
            await using BrokerConnection connection = await ConnectAsync(broker);
            using StreamsClient streams = connection.Streams();
            await streams.CreateOrUpdateStreamAsync(new StreamConfig("ORDERS", "orders.>"), Ended);
            await CheckAsync(streams, acknowledged);
            await PublishUntilKilledAsync(broker, streams, acknowledged, round);
        }

        await using BrokerProcess last = await StartAsync();
        await using BrokerConnection reader = await ConnectAsync(last);
        using StreamsClient stored = reader.Streams();
        await CheckAsync(stored, acknowledged);
        Assert.True(acknowledged.Count >= Rounds * AcknowledgedPerRound);
        Assert.Equal(0, await last.StopAsync());
    }

    private Task<BrokerProcess> StartAsync() => BrokerProcess.StartAsync(-1, "-js", "-sd", _store.FullName);

    private static async Task<BrokerConnection> ConnectAsync(BrokerProcess broker)
        => await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [broker.Url] }, Ended);

    private static async Task PublishUntilKilledAsync(BrokerProcess broker, StreamsClient streams, Dictionary<ulong, string> acknowledged, int round)
    {
        int before = acknowledged.Count;
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        int next = 0;
        bool isKilled = false;
        var gate = new Lock();
        await Task.WhenAll(Enumerable.Range(0, InFlight).Select(async _ =>
        {
            while (!ended.IsCancellationRequested)
            {
                string text = string.Create(CultureInfo.InvariantCulture, $"{round}-{Interlocked.Increment(ref next)}");
                try
                {
                    PublishAck ack = await streams.PublishAsync("orders.new", Encoding.UTF8.GetBytes(text), cancellationToken: ended.Token);
                    lock (gate)
                    {
                        // A sequence is never given twice.
                        acknowledged.Add(ack.Sequence, text);
                        if (acknowledged.Count < before + AcknowledgedPerRound || isKilled)
                        {
                            continue;
                        }

                        isKilled = true;
                    }

                    await broker.Process.SignalAsync("KILL");
                    await ended.CancelAsync();
                }
                catch (Exception e) when (isKilled && e is not OutOfMemoryException and not ArgumentException)
                {
                    return;
                }
                catch (OperationCanceledException) when (ended.IsCancellationRequested)
                {
                    return;
                }
            }
        }));
    }

    private static async Task CheckAsync(StreamsClient streams, Dictionary<ulong, string> acknowledged)
    {
        var stored = new Dictionary<ulong, string>();
        StreamInfo info = await streams.GetStreamAsync("ORDERS", cancellationToken: Ended);
        if (info.State.Messages > 0)
        {
            await foreach (StreamMessage message in streams.ReadOrderedAsync("ORDERS", cancellationToken: Ended))
            {
                stored.Add(message.Sequence, Encoding.UTF8.GetString(message.Body.Span));
                if (message.Sequence == info.State.LastSequence)
                {
                    break;
                }
            }
        }

        Assert.DoesNotContain(acknowledged, pair => !stored.TryGetValue(pair.Key, out string? text) || text != pair.Value);
    }
}
