using Broker.Client;
using Broker.Server;

#pragma warning disable IDE0007, IDE0008 // The code is the same as on the page.
#pragma warning disable IDE0130 // No enclosing namespace may provide the names that the usings must provide.

namespace OfSomebodyNew;

/// <summary>The program of the README that embeds a server.</summary>
internal static class EmbeddedProgram
{
    internal static async Task RunAsync(int port)
    {
        await using BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(port)); // throws if it cannot listen
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.CreateDialer()); // no socket
        client.Subscribe("weather.>", static (in message) => Console.WriteLine(message.Body.Length));
        client.Publish("weather.oslo", "4 degrees"u8);
        await client.FlushAsync(); // when the server has answered, the handler has printed 9
    }
}
