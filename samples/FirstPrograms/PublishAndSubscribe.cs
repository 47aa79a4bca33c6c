using Broker.Client;

namespace FirstPrograms;

/// <summary>Publishes a message and reads it.</summary>
public static class PublishAndSubscribe
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        await using var weather = nats.SubscribeQueued("weather.oslo");
        nats.Publish("weather.oslo", "4 degrees");
        var message = await weather.Reader.ReadAsync();
        output.WriteLine($"{message.Subject}: {message.Text}");
    }
}
