using System.Globalization;
using Broker.ZeroMq;
using ZeroMqGuide;

// The basic programs of the ZeroMQ guide. For example, in two windows:
//   dotnet run --project samples/ZeroMqGuide -- hello-server tcp://*:5555
//   dotnet run --project samples/ZeroMqGuide -- hello-client tcp://localhost:5555
// Weather: weather-server BIND and weather-client CONNECT [PLACE].
// Tasks: sink BIND, then any number of worker VENTILATOR SINK, then ventilator BIND SINK.
// Broker: broker BIND-FOR-CLIENTS BIND-FOR-WORKERS, then any number of hello-client CONNECT and hello-worker CONNECT.
const int TaskCount = 100;
using var stopping = new CancellationTokenSource();
if (args is ["weather-server" or "worker" or "broker", ..])
{
    // These programs run until Ctrl+C and then close their sockets. The others have nothing to clean up.
    Console.CancelKeyPress += (_, e) =>
    {
        e.Cancel = true;
        stopping.Cancel();
    };
}

try
{
    switch (args)
    {
        case ["hello-server", var bind, ..]:
            using (var server = new ResponseSocket())
            {
                Console.WriteLine(server.Bind(bind));
                HelloWorld.Serve(server, int.MaxValue, Console.Out);
            }

            break;
        case ["hello-worker", var connect]:
            using (var server = new ResponseSocket())
            {
                server.Connect(connect);
                HelloWorld.Serve(server, int.MaxValue, Console.Out);
            }

            break;
        case ["hello-client", var connect, .. var rest]:
            using (var client = new RequestSocket())
            {
                client.Connect(connect);
                HelloWorld.Ask(client, rest is [var count] ? int.Parse(count, CultureInfo.InvariantCulture) : 10, Console.Out);
            }

            break;
        case ["weather-server", var bind]:
            using (var publisher = new PublisherSocket())
            {
                Console.WriteLine(publisher.Bind(bind));
                Weather.Publish(publisher, stopping.Token);
            }

            break;
        case ["weather-client", var connect, .. var rest]:
            using (var subscriber = new SubscriberSocket())
            {
                subscriber.Connect(connect);
                Weather.Average(subscriber, rest is [var place] ? place : "10001", updates: 100, Console.Out);
            }

            break;
        case ["ventilator", var bind, var sinkEndpoint]:
            using (var workers = new PushSocket())
            using (var sink = new PushSocket())
            {
                Console.WriteLine(workers.Bind(bind));
                sink.Connect(sinkEndpoint);
                Console.WriteLine("press Enter when the workers are ready");
                Console.ReadLine();
                Tasks.Ventilate(workers, sink, TaskCount, Console.Out);
            }

            break;
        case ["worker", var ventilatorEndpoint, var sinkEndpoint]:
            using (var ventilator = new PullSocket())
            using (var sink = new PushSocket())
            using (stopping.Token.Register(ventilator.Dispose))
            {
                ventilator.Connect(ventilatorEndpoint);
                sink.Connect(sinkEndpoint);
                Tasks.Work(ventilator, sink);
            }

            break;
        case ["sink", var bind]:
            using (var results = new PullSocket())
            {
                Console.WriteLine(results.Bind(bind));
                Tasks.Collect(results, TaskCount, Console.Out);
            }

            break;
        case ["broker", var front, var back]:
            using (var clients = new RouterSocket())
            using (var workers = new DealerSocket())
            {
                Console.WriteLine(clients.Bind(front));
                Console.WriteLine(workers.Bind(back));
                await using var broker = ZeroMqProxy.Start(clients, workers);
                await broker.Completion.WaitAsync(stopping.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            break;
        default:
            Console.Error.WriteLine(
                "usage: PROGRAM ENDPOINT... PROGRAM is hello-server, hello-worker, hello-client, weather-server, weather-client, "
                + "ventilator, worker, sink or broker");
            return 1;
    }

    return 0;
}
catch (Exception e) when (e is ZeroMqBindException or FormatException or ArgumentException or OverflowException)
{
    // An endpoint is wrong, or the port is taken.
    Console.Error.WriteLine($"ZeroMqGuide: {e.Message}");
    return 1;
}
