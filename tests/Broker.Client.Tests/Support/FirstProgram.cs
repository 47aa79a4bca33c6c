using Broker.Client;

#pragma warning disable IDE0130 // Where no namespace around it knows what the usings are to bring in.

namespace OfSomebodyNew;

/// <summary>The program to begin with of docs/client.md and of the package's page.</summary>
internal static class FirstProgram
{
    internal static async Task RunAsync(string url)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        await using var weather = nats.SubscribeQueued("weather.>");
        nats.Publish("weather.oslo", "4 degrees"u8);
        Console.WriteLine((await weather.Reader.ReadAsync()).Subject);
    }
}
