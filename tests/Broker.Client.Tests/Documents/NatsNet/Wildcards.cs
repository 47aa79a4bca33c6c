#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Subscribes to many subjects.</summary>
public static class Wildcards
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var one = await nats.Connection.SubscribeCoreAsync<string>("weather.*");
        await using var all = await nats.Connection.SubscribeCoreAsync<string>("weather.>");
        await nats.PublishAsync("weather.oslo", "4 degrees");
        await nats.PublishAsync("weather.oslo.rain", "2 mm");
        await one.DrainAsync();
        await all.DrainAsync();
        await foreach (var message in one.Msgs.ReadAllAsync())
        {
            output.WriteLine($"one token: {message.Subject}");
        }

        await foreach (var message in all.Msgs.ReadAllAsync())
        {
            output.WriteLine($"all tokens: {message.Subject}");
        }
    }
}
