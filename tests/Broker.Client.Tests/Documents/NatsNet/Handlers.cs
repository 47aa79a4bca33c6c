#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Handles each message with asynchronous code, one after another.</summary>
public static class Handlers
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var jobs = await nats.Connection.SubscribeCoreAsync<string>("jobs");
        var handling = Task.Run(async () =>
        {
            await foreach (var job in jobs.Msgs.ReadAllAsync())
            {
                await Task.Delay(10);
                output.WriteLine($"done: {job.Data}");
            }
        });
        await nats.PublishAsync("jobs", "sweep");
        await nats.PublishAsync("jobs", "mop");
        await jobs.DrainAsync();
        await handling;
    }
}
