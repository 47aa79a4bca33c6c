using Broker.Client;
using Broker.Client.Streams;

namespace OrderStream;

/// <summary>Handles each message once: one is refused at first and comes again, one is given up.</summary>
public static class HandleOrders
{
    public static async Task RunAsync(string server, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(server);
        using var streams = connection.Streams();
        var consumer = await streams.CreateOrUpdateConsumerAsync("SHOP", new ConsumerConfig("packer"));

        int handled = 0;
        await foreach (var message in consumer.ConsumeAsync(new ConsumeOptions { MaxMessages = 1 }))
        {
            switch (message.Subject)
            {
                case "shop.tea" when message.Delivered == 1:
                    await message.NakAsync(TimeSpan.FromMilliseconds(100));
                    continue;
                case "shop.bread":
                    await message.TerminateAsync("sold out");
                    break;
                default:
                    await message.AckAsync();
                    break;
            }

            await output.WriteLineAsync($"{message.Subject} at attempt {message.Delivered}");
            if (++handled == 3)
            {
                break;
            }
        }
    }
}
