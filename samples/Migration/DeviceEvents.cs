using System.Globalization;
using System.Text;
using Broker.Bridge;
using Broker.Client;

namespace Migration;

/// <summary>
/// Devices publish events, and a monitor subscribes to them: PUB and SUB. Devices connect, the monitor binds.
/// </summary>
public static class DeviceEvents
{
    /// <summary>The number of events of each of the two devices.</summary>
    public const int Events = 1000;

    /// <summary>Runs the system at a step, and prints how many events each monitor received.</summary>
    public static async Task RunAsync(Step step, string? url, TextWriter output)
    {
        using PythonProgram monitor = PythonProgram.Start("monitor", "tcp://127.0.0.1:*", "2");
        string endpoint = (await monitor.ReadAsync("at").ConfigureAwait(false))[0];
        if (step == Step.ZeroMq)
        {
            Write("monitor", await RunDevicesAsync(endpoint, monitor, native: null).ConfigureAwait(false), output);
            return;
        }

        // The devices now connect to the bridge instead of the monitor, and the bridge connects to the monitor.
        await using Junction junction = await Junction.StartAsync(url, new PubSubRouteOptions
        {
            Publishers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
            Subscribers = [new BridgeEndpoint(Bind: false, endpoint)],
        }).ConfigureAwait(false);
        string publishers = ((PubSubRouteSnapshot)junction.Route("pubsub")).PublisherEndpoints[0];
        if (step == Step.Bridged)
        {
            Write("monitor", await RunDevicesAsync(publishers, monitor, native: null).ConfigureAwait(false), output);
            return;
        }

        // A native monitor runs beside the other one, and one of the devices is native, too.
        var nativeMonitor = new NativeMonitor(devices: 2);
        junction.Client.Subscribe("zmq.event.*", nativeMonitor.OnEvent);
        await junction.Client.FlushAsync().ConfigureAwait(false);
        Write("monitor", await RunDevicesAsync(publishers, monitor, junction.Client).ConfigureAwait(false), output);
        Write("native monitor", await nativeMonitor.Events.ConfigureAwait(false), output);
    }

    private static async Task<int> RunDevicesAsync(string endpoint, PythonProgram monitor, BrokerConnection? native)
    {
        string events = Events.ToString(CultureInfo.InvariantCulture);
        using PythonProgram pump = PythonProgram.Start("sensor", endpoint, "pump", events);
        using PythonProgram? valve = native is null ? PythonProgram.Start("sensor", endpoint, "valve", events) : null;
        using var isReceived = new CancellationTokenSource();
        Task publishing = native is null ? Task.CompletedTask : PublishAsync(native, "zmq.event.valve", isReceived.Token);
        await monitor.ReadAsync("receives").ConfigureAwait(false);
        await monitor.ReadAsync("receives").ConfigureAwait(false);
        await isReceived.CancelAsync().ConfigureAwait(false);
        await pump.GoOnAsync().ConfigureAwait(false);
        await (valve?.GoOnAsync() ?? publishing).ConfigureAwait(false);
        return int.Parse((await monitor.ReadAsync("events").ConfigureAwait(false))[0], CultureInfo.InvariantCulture);
    }

    // The same device as a NATS client: the topic becomes the subject, and the body stays the same.
    private static async Task PublishAsync(BrokerConnection client, string subject, CancellationToken isReceived)
    {
        while (!isReceived.IsCancellationRequested)
        {
            client.Publish(subject, "here"u8);
            await Task.Delay(50, isReceived).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        for (int number = 0; number < Events; number++)
        {
            client.Publish(subject, Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture)));
        }

        client.Publish(subject, "end"u8);
    }

    private static void Write(string who, int events, TextWriter output)
        => output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{who}: {events} events of {2 * Events}"));
}
