using System.Globalization;
using System.Text;
using Broker.Bridge;
using Broker.Bridge.PubSub;
using Broker.Bridge.Routes;
using Broker.Client;

namespace WindowsService;

/// <summary>Counts what sensors publish by ZeroMQ, and answers how much that was to NATS clients that ask <c>sensors.count</c>.</summary>
internal sealed class Sensors(BrokerConnection client) : BackgroundService
{
    private long _count;

    /// <summary>The bridge as the settings have it: <c>Sensors:Publishers</c> and <c>Sensors:Subscribers</c>.</summary>
    public static ZeroMqBridgeOptions Bridge(IServiceProvider services, ZeroMqBridgeOptions options)
    {
        IConfigurationSection settings = services.GetRequiredService<IConfiguration>().GetRequiredSection("Sensors");
        return options with
        {
            Routes =
            [
                new PubSubRouteOptions
                {
                    Publishers = [new BridgeEndpoint(Bind: true, settings["Publishers"]!)],
                    Subscribers = [new BridgeEndpoint(Bind: true, settings["Subscribers"]!)],
                },
            ],
        };
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken)
    {
        client.Subscribe("zmq.>", (in _) => Interlocked.Increment(ref _count));
        client.Subscribe("sensors.count", (in message) => message.Respond(Encoding.ASCII.GetBytes(Interlocked.Read(ref _count).ToString(CultureInfo.InvariantCulture))));
        return Task.CompletedTask;
    }
}
