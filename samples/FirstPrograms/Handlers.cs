using Broker.Client;

namespace FirstPrograms;

/// <summary>Handles each message with asynchronous code, one after another.</summary>
public static class Handlers
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        nats.Subscribe("jobs", async job =>
        {
            await Task.Delay(10);
            output.WriteLine($"done: {job.Text}");
        });
        nats.Publish("jobs", "sweep");
        nats.Publish("jobs", "mop");
        await nats.DrainAsync();
    }
}
