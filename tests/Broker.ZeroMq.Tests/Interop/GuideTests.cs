using System.Globalization;
using ZeroMqGuide;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>The programs of the sample, each with plain pyzmq programs at the other end.</summary>
public sealed class GuideTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Count = 20;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Our_hello_world_server_answers_their_client()
    {
        using var server = new ResponseSocket();
        string endpoint = server.Bind(AnyPort);
        using PeerProcess client = Theirs("hello-client", endpoint, Count);
        string[] said = await RunAsync(output => HelloWorld.Serve(server, Count, output));
        Assert.Equal(Enumerable.Repeat("received Hello", Count), said);
        for (int i = 0; i < Count; i++)
        {
            Assert.Equal($"reply {i}: World", await client.ReadLineAsync());
        }
    }

    [Fact]
    public async Task Our_hello_world_client_is_answered_by_their_server()
    {
        using PeerProcess server = Theirs("hello-server", AnyPort, Count);
        using var client = new RequestSocket();
        client.Connect(await server.ReadLineAsync());
        string[] said = await RunAsync(output => HelloWorld.Ask(client, Count, output));
        Assert.Equal(Enumerable.Range(0, Count).Select(i => $"reply {i}: World"), said);
    }

    [Fact]
    public async Task Our_weather_server_sends_to_their_subscriber()
    {
        using var publisher = new PublisherSocket();
        string endpoint = publisher.Bind(AnyPort);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        Task publishing = Task.Factory.StartNew(
            () => Weather.Publish(publisher, stop.Token), Cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        using PeerProcess client = Theirs("weather-client", endpoint, Count);
        Assert.StartsWith("average temperature for 10001: ", await client.ReadLineAsync(), StringComparison.Ordinal);
        await stop.CancelAsync();
        await Wait.For(publishing);
    }

    [Fact]
    public async Task Our_weather_subscriber_receives_from_their_server()
    {
        using PeerProcess server = Theirs("weather-server", AnyPort, Count);
        using var subscriber = new SubscriberSocket();
        subscriber.Connect(await server.ReadLineAsync());
        string said = Assert.Single(await RunAsync(output => Weather.Average(subscriber, "10001", Count, output)));
        Assert.StartsWith("average temperature for 10001: ", said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Our_ventilator_and_our_sink_use_two_of_their_workers()
    {
        using var workers = new PushSocket();
        using var results = new PullSocket();
        using var toSink = new PushSocket();
        string vent = workers.Bind(AnyPort);
        string sink = results.Bind(AnyPort);
        toSink.Connect(sink);
        using PeerProcess one = Theirs("worker", vent, sink, Count);
        using PeerProcess two = Theirs("worker", vent, sink, Count);
        Task<string[]> collecting = RunAsync(output => Tasks.Collect(results, Count, output));
        await RunAsync(output => Tasks.Ventilate(workers, toSink, Count, output));
        Assert.Equal([$"{Count} tasks are done"], await collecting);
    }

    [Fact]
    public async Task Our_worker_connects_their_ventilator_and_their_sink()
    {
        using PeerProcess sink = Theirs("sink", AnyPort, Count);
        string results = await sink.ReadLineAsync();
        using PeerProcess ventilator = Theirs("ventilator", AnyPort, results, Count);
        using var tasks = new PullSocket();
        using var done = new PushSocket();
        tasks.Connect(await ventilator.ReadLineAsync());
        done.Connect(results);
        Task<string[]> working = RunAsync(_ => Tasks.Work(tasks, done));
        await ventilator.WriteLineAsync("");
        Assert.Equal($"{Count} tasks are done", await sink.ReadLineAsync());
        tasks.Dispose();
        await working;
    }

    [Fact]
    public async Task Our_broker_connects_their_clients_and_their_workers()
    {
        using var clients = new RouterSocket();
        using var workers = new DealerSocket();
        string front = clients.Bind(AnyPort);
        string back = workers.Bind(AnyPort);
        await using var broker = ZeroMqProxy.Start(clients, workers);
        using PeerProcess one = Theirs("hello-worker", back, 1000);
        using PeerProcess two = Theirs("hello-worker", back, 1000);
        using PeerProcess first = Theirs("hello-client", front, Count);
        using PeerProcess second = Theirs("hello-client", front, Count);
        foreach (PeerProcess client in (PeerProcess[])[first, second])
        {
            for (int i = 0; i < Count; i++)
            {
                Assert.Equal($"reply {i}: World", await client.ReadLineAsync());
            }
        }
    }

    [Fact]
    public async Task Our_client_and_our_worker_use_their_broker()
    {
        using PeerProcess broker = Theirs("broker", AnyPort, AnyPort, Count);
        string front = await broker.ReadLineAsync();
        string back = await broker.ReadLineAsync();
        using var worker = new ResponseSocket();
        worker.Connect(back);
        using var client = new RequestSocket();
        client.Connect(front);
        Task<string[]> serving = RunAsync(output => HelloWorld.Serve(worker, Count, output));
        string[] said = await RunAsync(output => HelloWorld.Ask(client, Count, output));
        Assert.Equal(Enumerable.Range(0, Count).Select(i => $"reply {i}: World"), said);
        Assert.Equal(Count, (await serving).Length);
    }

    private static PeerProcess Theirs(string program, string endpoint, int count) => Theirs(program, [endpoint], count);

    private static PeerProcess Theirs(string program, string endpoint, string other, int count) => Theirs(program, [endpoint, other], count);

    private static PeerProcess Theirs(string program, string[] endpoints, int count)
    {
        Foreign.ForeignHost.Require();
        string script = Path.Combine(AppContext.BaseDirectory, "peers", "python", "guide.py");
        return PeerProcess.Start(program, "/usr/bin/python3", [script, program, .. endpoints, count.ToString(CultureInfo.InvariantCulture)]);
    }

    private static async Task<string[]> RunAsync(Action<TextWriter> program)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        await Wait.For(Task.Factory.StartNew(() => program(output), Cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }
}
