using Broker.Client;

namespace AspireWorker;

/// <summary>Answers requests to <c>greet.NAME</c>, and prints what ZeroMQ programs publish about the weather.</summary>
internal sealed class Greeter(BrokerConnection client) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        client.Subscribe("greet.*", static message => message.Respond($"hello {message.Subject["greet.".Length..]}"));
        await foreach (Message message in client.SubscribeQueued("zmq.weather.>").ReadAllAsync(stoppingToken))
        {
            Console.WriteLine($"{message.Subject}: {message.Text}");
        }
    }
}
