using Broker.Client;

#pragma warning disable IDE0007, IDE0008 // The code is the same as on the page.
#pragma warning disable IDE0130 // No enclosing namespace may provide the names that the usings must provide.

namespace OfSomebodyNew;

/// <summary>The first program in docs/client.md and on the page of the package.</summary>
internal static class FirstProgram
{
    internal static async Task RunAsync(string url)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        await using var weather = nats.SubscribeQueued("weather.>");
        nats.Publish("weather.oslo", "4 degrees");
        Console.WriteLine(await weather.Reader.ReadAsync());
    }
}
