using Broker.Client;
using Broker.Client.Streams;

namespace OrderStream;

/// <summary>Creates a stream and stores messages in it, each of them once although one is published twice.</summary>
public static class PublishOnce
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(server);
        using var streams = connection.Streams();
        await streams.DeleteStreamAsync("SHOP");
        await streams.CreateStreamAsync(new StreamConfig("SHOP", "shop.>"));

        foreach (string id in new[] { "tea", "milk", "milk", "bread" })
        {
            var ack = await streams.PublishAsync($"shop.{id}", "1"u8.ToArray(), new StreamPublishOptions { MessageId = id });
            await output.WriteLineAsync(ack.IsDuplicate ? $"{id} is stored already" : $"{id} is message {ack.Sequence}");
        }
    }
}
