using Broker.Client;

namespace FirstPrograms;

/// <summary>Subscribes to many subjects.</summary>
public static class Wildcards
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var nats = await BrokerConnection.ConnectAsync(url);
        nats.Subscribe("weather.*", message => output.WriteLine($"one token: {message.Subject}"));
        nats.Subscribe("weather.>", message => output.WriteLine($"all tokens: {message.Subject}"));
        nats.Publish("weather.oslo", "4 degrees");
        nats.Publish("weather.oslo.rain", "2 mm");
        await nats.DrainAsync();
    }
}
