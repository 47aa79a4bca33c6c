#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Ends without losing a message.</summary>
public static class Draining
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        var done = 0;
        await using var jobs = await nats.Connection.SubscribeCoreAsync<string>("jobs");
        var handling = Task.Run(async () =>
        {
            await foreach (var job in jobs.Msgs.ReadAllAsync())
            {
                await Task.Delay(1);
                done++;
            }
        });
        for (var number = 0; number < 100; number++)
        {
            await nats.PublishAsync("jobs", $"job {number}");
        }

        await jobs.DrainAsync();
        await handling;
        output.WriteLine($"{done} of 100 jobs are done");
    }
}
