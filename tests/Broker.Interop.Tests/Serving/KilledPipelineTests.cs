using System.Collections.Concurrent;
using System.Globalization;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// ZeroMQ programs push to a bridge, which stores the messages in a stream of the broker, and a worker handles them.
/// All three are killed in turn. Each message that the stream acknowledged is handled.
/// </summary>
public sealed class KilledPipelineTests(ITestOutputHelper output) : IDisposable
{
    private const int HandledPerRound = 300;

    private const string Pusher = """
        import sys, zmq
        push = zmq.Context().socket(zmq.PUSH)
        push.sndhwm = 100
        push.connect(sys.argv[1])
        number = 0
        while True:
            push.send_multipart([b'%d' % number, b'.' * 500])
            number += 1
        """;

    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("streams-");
    private readonly ConcurrentDictionary<ulong, string> _handled = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_PIPELINE_KILLS=30 for the long form: each of the three is killed so many times.
    private static int Kills => int.Parse(Environment.GetEnvironmentVariable("BROKER_PIPELINE_KILLS") ?? "3", CultureInfo.InvariantCulture);

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task What_the_stream_acknowledged_is_handled_though_the_bridge_the_broker_and_the_worker_are_killed()
    {
        int port = FreePort.Next();
        string url = string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}");
        string pushers = FreePort.NextAddress();
        BrokerProcess broker = await StartAsync(port);
        try
        {
            await using var bridge = new MortalBridge(url, $"pattern: pushpull, subject: work, pushers: \"{pushers}\", stream: {{ name: WORK, ack_wait: \"3s\" }}");
            await using (PeerProcess pusher = await PythonPeers.StartCodeAsync($"import sys\nsys.argv = ['-c', '{pushers}']\n{Pusher}"))
            {
                for (int i = 0; i < Kills; i++)
                {
                    await KillWorkerAsync(url);
                    await bridge.KillAndStartAsync();
                    await KillWorkerAsync(url);
                    await broker.Process.SignalAsync("KILL");
                    await broker.Process.WaitForExitAsync();
                    await broker.DisposeAsync();
                    broker = await StartAsync(port);
                }
            }

            await FinishAsync(url);
        }
        finally
        {
            await broker.DisposeAsync();
        }
    }

    private Task<BrokerProcess> StartAsync(int port) => BrokerProcess.StartAsync(port, "-js", "-sd", _store.FullName);

    // A worker that ends in the middle of its work, without a word to the broker.
    private async Task KillWorkerAsync(string url)
    {
        int before = _handled.Count;
        await HandleAsync(url, _ => Task.FromResult(_handled.Count >= before + HandledPerRound), taken: 20);
    }

    // The last worker handles what is left, when nobody publishes any more.
    private async Task FinishAsync(string url)
    {
        ulong last = 0;
        await HandleAsync(url, async streams =>
        {
            StreamState state = (await streams.GetStreamAsync("WORK", cancellationToken: Ended)).State;
            last = state.LastSequence;
            return state.Messages == 0;
        });
        ulong[] missing = [.. Enumerable.Range(1, (int)last).Select(static number => (ulong)number).Where(number => !_handled.ContainsKey(number))];
        output.WriteLine($"{Kills} kills of each, {last} messages acknowledged by the stream, {missing.Length} not handled");
        Assert.Empty(missing);
        Assert.Equal(_handled.Count, (int)last);
    }

    private async Task HandleAsync(string url, Func<StreamsClient, Task<bool>> isDone, int taken = 0)
    {
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = connection.Streams();
        StreamConsumer? consumer = null;
        await Wait.UntilAsync(async () => (consumer = await TryCreateAsync(streams)) is not null, "the consumer");
        await Wait.UntilAsync(
            async () =>
            {
                await foreach (StreamMessage message in consumer!.FetchAsync(new FetchOptions { MaxMessages = 50, Expires = TimeSpan.FromSeconds(1) }, Ended))
                {
                    // A sequence names one message for ever.
                    string text = Convert.ToHexString(message.Body.Span);
                    Assert.Equal(text, _handled.GetOrAdd(message.Sequence, text));
                    await message.AckAsync(Ended);
                }

                return await isDone(streams);
            },
            () => $"{_handled.Count} handled");
        if (taken > 0)
        {
            await foreach (StreamMessage _ in consumer!.FetchAsync(new FetchOptions { MaxMessages = taken, Expires = TimeSpan.FromSeconds(1) }, Ended))
            {
                // The worker has the message when it is killed, so it must come again.
            }
        }
    }

    // The bridge creates the stream when it has reached the broker.
    private static async Task<StreamConsumer?> TryCreateAsync(StreamsClient streams)
    {
        try
        {
            return await streams.CreateOrUpdateConsumerAsync("WORK", new ConsumerConfig("workers") { AckWait = TimeSpan.FromSeconds(1) }, Ended);
        }
        catch (StreamException)
        {
            return null;
        }
    }
}
