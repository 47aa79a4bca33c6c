using Broker.Client;

namespace FirstPrograms;

/// <summary>Divides the messages of a subject among the members of a queue group.</summary>
public static class QueueGroup
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        var done = 0;
        nats.Subscribe("jobs", job => Interlocked.Increment(ref done), queue: "workers");
        nats.Subscribe("jobs", job => Interlocked.Increment(ref done), queue: "workers");
        for (var number = 0; number < 10; number++)
        {
            nats.Publish("jobs", $"job {number}");
        }

        await nats.DrainAsync();
        output.WriteLine($"10 jobs, {done} done");
    }
}
