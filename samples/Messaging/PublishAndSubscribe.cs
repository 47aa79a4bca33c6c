using System.Text;
using Broker.Client;

namespace Messaging;

/// <summary>Publishes messages and reads them.</summary>
public static class PublishAndSubscribe
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(server);
        await using var weather = nats.SubscribeQueued("weather.>");

        nats.Publish("weather.oslo", "4 degrees"u8);
        nats.Publish("weather.bergen", "rain"u8, headers: new MessageHeaders { ["Source"] = "window" });

        weather.AutoUnsubscribe(2);
        await foreach (var message in weather.ReadAllAsync())
        {
            var headers = new MessageHeaders(message.Headers.Span);
            await output.WriteLineAsync($"{message.Subject}: {Encoding.UTF8.GetString(message.Body.Span)} {headers["Source"]}".TrimEnd());
        }
    }
}
