#pragma warning disable IDE0007, IDE0008, IDE0130 // The code has the form of the program in samples/FirstPrograms.

using NATS.Net;

namespace NatsNetPrograms;

/// <summary>Sends and receives values as JSON.</summary>
public static class JsonValues
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = new NatsClient(url);
        await using var orders = await nats.Connection.SubscribeCoreAsync<Order>("orders");
        await nats.PublishAsync("orders", new Order("tea", 2));
        var order = await orders.Msgs.ReadAsync();
        output.WriteLine($"{order.Data!.Pieces} {order.Data.Article}");
    }
}

/// <summary>The value.</summary>
public sealed record Order(string Article, int Pieces);
