using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests a limited heap. A failed allocation would end the broker, so clients that cause too many buffered bytes are
/// closed before.
/// <c>BROKER_HEAP_RUNS=20</c> repeats the test 20 times.
/// </summary>
public sealed class HeapLimitTests
{
    private const int HeapLimit = 200_000_000;
    private const int Publishers = 3;
    private const int Messages = 4_000;
    private const int PayloadLength = 32 * 1024;

    [Fact]
    public async Task With_a_limited_heap_a_subscriber_that_stops_reading_is_cut_and_the_others_complete()
    {
        int runs = int.TryParse(Environment.GetEnvironmentVariable("BROKER_HEAP_RUNS"), NumberStyles.None, CultureInfo.InvariantCulture, out int said) ? said : 1;
        for (int run = 0; run < runs; run++)
        {
            await RunAsync();
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{runs} runs");
    }

    // Without the bound, the queues of all stopped subscribers would grow to eight times the heap before they reach
    // their high-water marks.
    [Fact]
    public async Task With_a_limited_heap_ZeroMQ_subscribers_that_stop_reading_lose_messages_and_one_that_reads_gets_all()
    {
        const int Stopped = 100;
        const int Rounds = 1_000;
        await using BrokerProcess broker = await BrokerProcess.StartWithHeapLimitAsync(
            HeapLimit, "-m", "-1", "--zeromq-publishers", "bind tcp://127.0.0.1:*", "--zeromq-subscribers", "bind tcp://127.0.0.1:*");
        int port = new Uri(broker.Subscribers).Port;
        var stopped = new List<StoppedReader>();
        try
        {
            for (int i = 0; i < Stopped; i++)
            {
                stopped.Add(await StoppedReader.OverZeroMqAsync(port));
            }

            using StoppedReader healthy = await StoppedReader.OverZeroMqAsync(port);
            using RawConnection publisher = await broker.ConnectRawAsync();
            await publisher.SendAsync("CONNECT {\"verbose\":false}\r\nPING\r\n");
            await publisher.ReadToAsync("PONG\r\n");
            await Wait.UntilAsync(async () => await RouteAsync(broker, "subscribers") == Stopped + 1);
            byte[] message = Encoding.Latin1.GetBytes($"PUB zmq.flood {PayloadLength}\r\n{new string('x', PayloadLength)}\r\n");

            // The topic and the payload are one frame each. The test sends the next message when this one has arrived.
            int heard = 2 + "flood".Length + 9 + PayloadLength;
            for (int round = 0; round < Rounds; round++)
            {
                await Task.WhenAll(publisher.SendAsync(message), healthy.SkipAsync(heard));
            }

            Assert.False(broker.Process.HasExited, broker.Process.Errors);
            long dropped = await RouteAsync(broker, "dropped");
            Assert.InRange(dropped, Stopped, Stopped * Rounds);
            Assert.Equal((Stopped + 1) * Rounds, dropped + await RouteAsync(broker, "to_zeromq"));
        }
        finally
        {
            stopped.ForEach(static reader => reader.Dispose());
        }
    }

    private static async Task<long> RouteAsync(BrokerProcess broker, string name)
    {
        using var http = new HttpClient();
        using var page = JsonDocument.Parse(
            await http.GetStringAsync(new Uri(new Uri(broker.Ports.Monitoring[0]), "/bridgez"), TestContext.Current.CancellationToken));
        return page.RootElement.GetProperty("routes").EnumerateArray().Single().GetProperty(name).GetInt64();
    }

    // The limits of one connection, in bytes and in time, are too high to matter here. Only the bound that the server
    // derives from the heap closes the subscriber.
    private static async Task RunAsync()
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("broker-heap-");
        try
        {
            string file = Path.Combine(directory.FullName, "broker.conf");
            await File.WriteAllTextAsync(file, "max_pending: 1GB\nwrite_deadline: \"10m\"\n", TestContext.Current.CancellationToken);
            await using BrokerProcess broker = await BrokerProcess.StartWithHeapLimitAsync(HeapLimit, "-c", file);
            using RawConnection greedy = await broker.ConnectRawAsync();
            await greedy.SendAsync("CONNECT {\"verbose\":false}\r\nSUB flood.* 1\r\nPING\r\n");
            await greedy.ReadToAsync("PONG\r\n");

            await Task.WhenAll(Enumerable.Range(0, Publishers).Select(number => FloodAsync(broker, number)));

            Assert.False(broker.Process.HasExited, broker.Process.Errors);
            Assert.True(await greedy.EndsAsync(), "the server did not close the subscriber that reads nothing");
            using RawConnection other = await broker.ConnectRawAsync();
            await other.SendAsync("CONNECT {\"verbose\":false}\r\nSUB foo 1\r\nPUB foo 2\r\nok\r\nPING\r\n");
            Assert.Contains("MSG foo 1 2\r\nok\r\n", await other.ReadToAsync("PONG\r\n"), StringComparison.Ordinal);
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    // This client subscribes to its own messages. It publishes more only after it has read all of them, so it is never
    // slow.
    private static async Task FloodAsync(BrokerProcess broker, int number)
    {
        const int AtOnce = 50;
        using RawConnection client = await broker.ConnectRawAsync();
        await client.SendAsync($"CONNECT {{\"verbose\":false}}\r\nSUB flood.{number} 1\r\nPING\r\n");
        await client.ReadToAsync("PONG\r\n");
        string message = $" flood.{number} ";
        byte[] batch = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat($"PUB{message}{PayloadLength}\r\n{new string('x', PayloadLength)}\r\n", AtOnce)));
        int heard = $"MSG{message}1 {PayloadLength}\r\n".Length + PayloadLength + 2;
        for (int sent = 0; sent < Messages; sent += AtOnce)
        {
            await Task.WhenAll(client.SendAsync(batch), client.ReadExactlyAsync(heard * AtOnce));
        }
    }
}
