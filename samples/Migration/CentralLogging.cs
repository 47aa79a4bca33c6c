using System.Globalization;
using Broker.Bridge;

namespace Migration;

/// <summary>
/// Services push the lines of their logs, and a collector pulls them: PUSH and PULL. Services connect, the collector
/// binds.
/// </summary>
public static class CentralLogging
{
    /// <summary>The number of lines of each of the two services.</summary>
    public const int Lines = 5000;

    private const string Pipeline = "logs.central";

    private static readonly string LineCount = Lines.ToString(CultureInfo.InvariantCulture);

    /// <summary>
    /// Runs the system at a step, and prints how many lines the collector received and how many of them are different.
    /// </summary>
    public static async Task RunAsync(Step step, string? url, TextWriter output)
    {
        using PythonProgram collector = PythonProgram.Start("collector", "tcp://127.0.0.1:*", (2 * Lines).ToString(CultureInfo.InvariantCulture));
        string endpoint = (await collector.ReadAsync("at").ConfigureAwait(false))[0];
        if (step == Step.ZeroMq)
        {
            using PythonProgram first = PythonProgram.Start("service", endpoint, "shop", LineCount);
            using PythonProgram second = PythonProgram.Start("service", endpoint, "store", LineCount);
            await WriteAsync(collector, output).ConfigureAwait(false);
            return;
        }

        await using Junction junction = await Junction.StartAsync(url, new PushPullRouteOptions
        {
            Subject = Pipeline,
            Pushers = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")],
            Pullers = [new BridgeEndpoint(Bind: false, endpoint)],
        }).ConfigureAwait(false);
        using PythonProgram shop = PythonProgram.Start("service", ((PushPullRouteSnapshot)junction.Route("pushpull")).PusherEndpoints[0], "shop", LineCount);
        if (step == Step.Bridged)
        {
            using PythonProgram store = PythonProgram.Start("service", ((PushPullRouteSnapshot)junction.Route("pushpull")).PusherEndpoints[0], "store", LineCount);
            await WriteAsync(collector, output).ConfigureAwait(false);
        }
        else
        {
            // One of the services is a NATS client. It waits if the collector is slow, as the other one does.
            var store = new NativeService(junction.Client, Pipeline, "store");
            await store.LogAsync(Lines).ConfigureAwait(false);
            await WriteAsync(collector, output).ConfigureAwait(false);
        }
    }

    private static async Task WriteAsync(PythonProgram collector, TextWriter output)
    {
        string[] lines = await collector.ReadAsync("lines").ConfigureAwait(false);
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"collector: {lines[0]} lines, {lines[1]} of them different, of {2 * Lines}"));
    }
}
