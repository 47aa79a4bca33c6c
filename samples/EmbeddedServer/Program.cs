// An embedded server, a client that connects to it without a socket, and a bridge for ZeroMQ programs. Other programs
// connect to the printed address.
using System.Text;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;

await using BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(0));
Console.WriteLine($"NATS clients connect to nats://{server.EndPoints[0]}");

await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.CreateDialer());

client.Subscribe("zmq.weather.>", static (in message) =>
    Console.WriteLine($"{Encoding.UTF8.GetString(message.Subject)}: {Encoding.UTF8.GetString(message.Body)}"));

await using ZeroMqBridge bridge = await ZeroMqBridge.StartAsync(new ZeroMqBridgeOptions
{
    // The bridge uses the server's loops, so messages between the two wake no thread.
    Client = new ClientOptions { Dialer = server.CreateDialer(), Loops = server.Loops },
    Routes =
    [
        new PubSubRouteOptions
        {
            Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")],
            Subscribers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:*")],
        },
    ],
});
var route = (PubSubRouteSnapshot)bridge.Snapshot().Routes[0];
Console.WriteLine($"ZeroMQ publishers connect to {route.PublisherEndpoints[0]}");
Console.WriteLine($"ZeroMQ subscribers connect to {route.SubscriberEndpoints[0]}");

client.Publish("zmq.weather.oslo", "4 degrees"u8);
await client.FlushAsync();

if (args is ["--wait"])
{
    await Task.Delay(Timeout.Infinite);
}
