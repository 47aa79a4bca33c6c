using System.Globalization;
using System.Text;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.Transport;
using Broker.ZeroMqLoad.Comparing;

namespace Broker.ZeroMqLoad.Ends;

// This part runs a bridge and its broker in one process, on one event loop, as a program in place of zmq_proxy does.
internal sealed partial class Load
{
    private const string Prefix = "zmq";
    private const string Subject = "load";

    private static readonly TimeSpan Watch = TimeSpan.FromMilliseconds(100);

    // On a busy machine the compiler needs more than the two seconds that a connection waits by default.
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    /// <summary>The pattern of a bridge.</summary>
    public Pattern Pattern { get; init; }

    /// <summary>The number of topics of a native publisher.</summary>
    public int Topics { get; init; }

    /// <summary>Whether the native program of a bridge with one side publishes. Otherwise it subscribes.</summary>
    public bool Publishes { get; init; }

    /// <summary>The port of a bridge's broker; 0 for any.</summary>
    public int Port { get; init; }

    private static BridgeEndpoint At(string endpoint) => new(Bind: true, endpoint);

    private async Task BridgeAsync()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        await using BrokerServer server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = loops }.Listen(Port));
        var client = new ClientOptions
        {
            Servers = ["nats://127.0.0.1:4222"],
            Dialer = server.CreateDialer(),
            Loops = loops,
            ConnectTimeout = StartLimit,
            WhileDisconnected = PublishWhileDisconnected.Drop,
        };
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(
            new ZeroMqBridgeOptions { Client = client, RequireServer = true, Routes = Routes() });
        if (Back is not null)
        {
            // The process runs until its input ends. The measuring process reads its processor time.
            Console.WriteLine("measuring");
            await Console.In.ReadToEndAsync();
            return;
        }

        await using BrokerConnection native = await BrokerConnection.ConnectAsync(client);
        if (Publishes)
        {
            await PublishNativelyAsync(native, loops[0]);
        }
        else
        {
            await SubscribeNativelyAsync(native);
        }
    }

    // A bridge without a broker: its pushers' messages go to the pipeline of another bridge.
    private async Task IngressAsync()
    {
        await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
        {
            Client = new ClientOptions { Servers = [Endpoint], ConnectTimeout = StartLimit },
            RequireServer = true,
            Routes = [new PushPullRouteOptions { Subject = Subject, Pushers = [At(Back!)], HighWaterMark = Mark }],
        });
        Console.WriteLine("measuring");
        await Console.In.ReadToEndAsync();
    }

    private RouteOptions[] Routes() => Pattern switch
    {
        // A broker with a known port has bridges of other processes as its clients.
        Pattern.Push =>
        [
            new PushPullRouteOptions
            {
                Subject = Subject,
                Pushers = [At(Endpoint)],
                Pullers = [At(Back!)],
                HighWaterMark = Mark,
                ReserveSubjects = Port == 0,
            },
        ],
        Pattern.Request =>
        [
            new RequestRouteOptions { Subject = Subject, Endpoints = [At(Endpoint)] },
            new WorkerRouteOptions { Subject = Subject, Endpoints = [At(Back!)] },
        ],
        _ =>
        [
            new PubSubRouteOptions
            {
                Publishers = Publishes ? [] : [At(Endpoint)],
                Subscribers = Publishes ? [At(Endpoint)] : Back is null ? [] : [At(Back)],
            },
        ],
    };

    private async Task SubscribeNativelyAsync(BrokerConnection native)
    {
        var tally = new Arrivals(TimeSpan.FromMilliseconds(WarmUp));
        native.Subscribe($"{Prefix}.>", (in MessageView _) => tally.Count());
        await native.FlushAsync();
        Console.WriteLine("measuring");
        while (!tally.HasEnded)
        {
            await Task.Delay(Watch);
        }

        tally.Report();
    }

    private async Task PublishNativelyAsync(BrokerConnection native, EventLoop loop)
    {
        const int MostPerTurn = 256;
        var random = new Random(12);
        string[] subjects = [.. Enumerable.Range(0, 65_536).Select(_ => string.Create(CultureInfo.InvariantCulture, $"{Prefix}.device.{random.Next(Math.Max(Topics, 1))}.state"))];
        byte[] body = Encoding.ASCII.GetBytes(new string('x', Size));
        await Task.Delay(SettlingTime);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int sent = 0;
        var meter = Meter.Start();
        void Go()
        {
            if (meter.Milliseconds >= Count)
            {
                done.SetResult();
                return;
            }

            for (int i = 0; i < MostPerTurn; i++)
            {
                native.Publish(subjects[sent++ & (subjects.Length - 1)], body);
            }

            loop.Post(Go);
        }

        loop.Post(Go);
        await done.Task;
        meter.Report("pub", sent);
        await Task.Delay(2 * SettlingTime);
    }
}
