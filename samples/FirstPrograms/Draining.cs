using Broker.Client;

namespace FirstPrograms;

/// <summary>Ends without losing a message.</summary>
public static class Draining
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        var done = 0;
        nats.Subscribe("jobs", async job =>
        {
            await Task.Delay(1);
            done++;
        });
        for (var number = 0; number < 100; number++)
        {
            nats.Publish("jobs", $"job {number}");
        }

        await nats.DrainAsync();
        output.WriteLine($"{done} of 100 jobs are done");
    }
}
