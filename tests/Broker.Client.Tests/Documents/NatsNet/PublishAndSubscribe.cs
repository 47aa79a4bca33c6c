#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Publishes a message and reads it.</summary>
public static class PublishAndSubscribe
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var weather = await nats.Connection.SubscribeCoreAsync<string>("weather.oslo");
        await nats.PublishAsync("weather.oslo", "4 degrees");
        var message = await weather.Msgs.ReadAsync();
        output.WriteLine($"{message.Subject}: {message.Data}");
    }
}
