using Broker.Client;

namespace Messaging;

/// <summary>Publishes messages and reads them.</summary>
public static class PublishAndSubscribe
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        await using var weather = nats.SubscribeQueued("weather.>");

        nats.Publish("weather.oslo", "4 degrees");
        nats.Publish("weather.bergen", "rain", headers: new MessageHeaders { ["Source"] = "window" });

        weather.AutoUnsubscribe(2);
        await foreach (var message in weather.ReadAllAsync())
        {
            await output.WriteLineAsync($"{message.Subject}: {message.Text} {message.Headers["Source"]}".TrimEnd());
        }
    }
}
