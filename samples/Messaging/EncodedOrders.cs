using System.Text.Json.Serialization;
using Broker.Client;

namespace Messaging;

/// <summary>Sends values in place of bytes, as JSON without reflection.</summary>
public static class EncodedOrders
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        var orders = new EncodedConnection(nats, new JsonEncoder(OrdersJson.Default));

        orders.Subscribe<Order>("orders.price", (order, message) => orders.Respond(message, new Price(order.Pieces * 2.5m)));

        var price = await orders.RequestAsync<Order, Price>("orders.price", new Order("tea", 4), TimeSpan.FromSeconds(30));
        await output.WriteLineAsync(FormattableString.Invariant($"4 tea: {price.Amount}"));
    }
}

/// <summary>The request.</summary>
public sealed record Order(string Article, int Pieces);

/// <summary>The reply.</summary>
public sealed record Price(decimal Amount);

[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Price))]
internal sealed partial class OrdersJson : JsonSerializerContext;
