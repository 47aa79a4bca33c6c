using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Broker.Client;
using Broker.Server;

// The port for other programs; 0 chooses a free one.
int port = args.Length > 0 ? int.Parse(args[0], CultureInfo.InvariantCulture) : BrokerServerOptions.DefaultPort;
await using BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(port));
await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.CreateDialer());
client.Subscribe("greet.*", static (in message) =>
{
    Console.WriteLine($"{Encoding.UTF8.GetString(message.Subject)}: {Encoding.UTF8.GetString(message.Body)}");
    if (!message.ReplyTo.IsEmpty)
    {
        message.Respond("hello"u8);
    }
});
await client.FlushAsync();
Console.WriteLine($"NATS clients connect to nats://{server.EndPoints[0]}, and publish to greet.NAME. Ctrl+C ends it.");

// Ctrl+C, and the signals of service managers and containers.
var stop = new TaskCompletionSource();
using PosixSignalRegistration interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
await stop.Task;
await server.DrainAsync(TimeSpan.FromSeconds(10));

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;
    stop.TrySetResult();
}
