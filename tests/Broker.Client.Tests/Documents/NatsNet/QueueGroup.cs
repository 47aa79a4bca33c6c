#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Divides the messages of a subject among the members of a queue group.</summary>
public static class QueueGroup
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        var done = 0;
        await using var first = await nats.Connection.SubscribeCoreAsync<string>("jobs", queueGroup: "workers");
        await using var second = await nats.Connection.SubscribeCoreAsync<string>("jobs", queueGroup: "workers");
        var working = Task.WhenAll(new[] { first, second }.Select(async jobs =>
        {
            await foreach (var job in jobs.Msgs.ReadAllAsync())
            {
                Interlocked.Increment(ref done);
            }
        }));
        for (var number = 0; number < 10; number++)
        {
            await nats.PublishAsync("jobs", $"job {number}");
        }

        await first.DrainAsync();
        await second.DrainAsync();
        await working;
        output.WriteLine($"10 jobs, {done} done");
    }
}
