using System.Globalization;
using System.Text;
using Broker.Bridge;
using Broker.Client;

namespace WindowsService;

/// <summary>
/// Counts what sensors publish by ZeroMQ, and answers how much that was to NATS clients that ask <c>sensors.count</c>; what they say to
/// <c>sensors.fault</c> is what it fails with.
/// </summary>
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

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var fault = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        client.Subscribe("zmq.>", (in _) => Interlocked.Increment(ref _count));
        client.Subscribe("sensors.count", (in message) => message.Respond(Encoding.ASCII.GetBytes(Interlocked.Read(ref _count).ToString(CultureInfo.InvariantCulture))));
        // What goes on only after a new start: the host stops, and recovery of the service goes by its exit code.
        client.Subscribe("sensors.fault", (in message) => fault.TrySetException(new InvalidOperationException(Encoding.UTF8.GetString(message.Body))));
        await fault.Task.WaitAsync(stoppingToken);
    }
}
