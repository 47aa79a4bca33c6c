using Broker.Client;

namespace FirstPrograms;

/// <summary>Sends and reads headers.</summary>
public static class Headers
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        await using var orders = nats.SubscribeQueued("orders");
        nats.Publish("orders", "tea", headers: new MessageHeaders { ["Trace"] = "42" });
        var order = await orders.Reader.ReadAsync();
        output.WriteLine($"{order.Text}, trace {order.Headers["Trace"]}");
    }
}
