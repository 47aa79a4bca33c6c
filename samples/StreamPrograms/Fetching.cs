using Broker.Client;
using Broker.Client.Streams;

namespace StreamPrograms;

/// <summary>Reads some messages of a consumer, then one more, and then finds nothing.</summary>
public static class Fetching
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(url);
        using var streams = connection.Streams();
        await streams.CreateOrUpdateStreamAsync(new StreamConfig("TASKS", "tasks.>"));
        foreach (string task in new[] { "sweep", "wash", "dry" })
        {
            await streams.PublishAsync($"tasks.{task}", default);
        }

        var consumer = await streams.CreateOrUpdateConsumerAsync("TASKS", new ConsumerConfig("worker"));
        await foreach (var message in consumer.FetchAsync(new FetchOptions { MaxMessages = 2 }))
        {
            output.WriteLine($"{message.Subject}, {message.Pending} more");
            await message.AckAsync();
        }

        if (await consumer.NextAsync() is { } last)
        {
            output.WriteLine($"{last.Subject}, {last.Pending} more");
            await last.AckAndConfirmAsync();
        }

        // The server waits for a second, and then there is no message.
        var none = await consumer.NextAsync(TimeSpan.FromSeconds(1));
        output.WriteLine(none is null ? "nothing" : "a message of another program");
    }
}
