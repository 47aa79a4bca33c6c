using Broker.Client;

namespace FirstPrograms;

/// <summary>Sends and receives values as JSON.</summary>
public static class JsonValues
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        var orders = nats.WithEncoder(JsonEncoder.Instance);
        orders.Subscribe<Order>("orders", order => output.WriteLine($"{order.Pieces} {order.Article}"));
        orders.Publish("orders", new Order("tea", 2));
        await nats.DrainAsync();
    }
}

/// <summary>The value.</summary>
public sealed record Order(string Article, int Pieces);
