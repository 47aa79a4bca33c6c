using System.Globalization;
using System.Text;
using Broker.Bridge;
using Broker.Client;

namespace Migration;

/// <summary>
/// A controller sends commands to devices, and each device replies: REQ and REP. The controller connects, devices bind.
/// </summary>
public static class DeviceCommands
{
    /// <summary>The number of commands of each controller.</summary>
    public const int Commands = 500;

    private static readonly TimeSpan ReplyTimeout = TimeSpan.FromMinutes(1);

    private const string Subject = "device.commands";

    private static readonly string CommandCount = Commands.ToString(CultureInfo.InvariantCulture);

    /// <summary>Runs the system at a step, and prints how many commands of each controller were executed.</summary>
    public static async Task RunAsync(Step step, string? url, TextWriter output)
    {
        using PythonProgram device = PythonProgram.Start("device", "tcp://127.0.0.1:*", "press");
        string endpoint = (await device.ReadAsync("at").ConfigureAwait(false))[0];
        if (step == Step.ZeroMq)
        {
            await ControlAsync(endpoint, output).ConfigureAwait(false);
            return;
        }

        await using Junction junction = await Junction.StartAsync(
            url,
            new RequestRouteOptions { Subject = Subject, Endpoints = [new BridgeEndpoint(Bind: true, "tcp://127.0.0.1:0")] },
            new WorkerRouteOptions { Subject = Subject, Endpoints = [new BridgeEndpoint(Bind: false, endpoint)] }).ConfigureAwait(false);
        string clients = junction.Route("request").Endpoints[0];
        if (step == Step.Bridged)
        {
            await ControlAsync(clients, output).ConfigureAwait(false);
            return;
        }

        // A native device shares the commands with the other device, and a native controller sends commands to both.
        junction.Client.Subscribe(Subject, Do, "workers");
        await junction.Client.FlushAsync().ConfigureAwait(false);
        await ControlAsync(clients, output).ConfigureAwait(false);
        int done = 0;
        for (int number = 0; number < Commands; number++)
        {
            byte[] answer = (await junction.Client.RequestAsync(Subject, Encoding.ASCII.GetBytes($"command {number}"), ReplyTimeout).ConfigureAwait(false)).Body.ToArray();
            done += Encoding.ASCII.GetString(answer).EndsWith($" did command {number}", StringComparison.Ordinal) ? 1 : 0;
        }

        Write("native controller", done, output);
    }

    private static async Task ControlAsync(string endpoint, TextWriter output)
    {
        using PythonProgram controller = PythonProgram.Start("controller", endpoint, CommandCount);
        Write("controller", int.Parse((await controller.ReadAsync("commands").ConfigureAwait(false))[0], CultureInfo.InvariantCulture), output);
    }

    // The same device as a NATS client.
    private static void Do(in MessageView command) => command.Respond([.. "lathe did "u8, .. command.Body]);

    private static void Write(string who, int commands, TextWriter output)
        => output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{who}: {commands} commands of {Commands}"));
}
