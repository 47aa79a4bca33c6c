#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Client.Core;
using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Sends and reads headers.</summary>
public static class Headers
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var orders = await nats.Connection.SubscribeCoreAsync<string>("orders");
        await nats.PublishAsync("orders", "tea", headers: new NatsHeaders { ["Trace"] = "42" });
        var order = await orders.Msgs.ReadAsync();
        output.WriteLine($"{order.Data}, trace {order.Headers?["Trace"]}");
    }
}
