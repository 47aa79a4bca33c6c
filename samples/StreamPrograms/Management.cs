using System.Text;
using Broker.Client;
using Broker.Client.Streams;

namespace StreamPrograms;

/// <summary>
/// Creates a stream, changes a limit, lists its consumers, reads one message, and deletes the stream.
/// </summary>
public static class Management
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(url);
        using var streams = connection.Streams();
        await streams.CreateStreamAsync(new StreamConfig("AUDIT", "audit.>") { MaxAge = TimeSpan.FromDays(7) });
        await streams.PublishAsync("audit.login", "Ada"u8.ToArray());
        await streams.PublishAsync("audit.login", "Grace"u8.ToArray());

        // An update replaces the whole configuration, so it begins with the present one.
        var present = await streams.GetStreamAsync("AUDIT");
        var updated = await streams.UpdateStreamAsync(present.Config with { MaxMessages = 1000 });
        output.WriteLine($"{updated.State.Messages} of {updated.Config.MaxMessages} messages");

        await streams.CreateConsumerAsync("AUDIT", new ConsumerConfig("report"));
        await foreach (var consumer in streams.ListConsumersAsync("AUDIT"))
        {
            output.WriteLine($"{consumer.Name} has {consumer.Pending} messages to read");
        }

        var last = await streams.FindLastMessageAsync("AUDIT", "audit.*");
        output.WriteLine($"the last login is {Encoding.UTF8.GetString(last!.Body.Span)}");
        var removed = await streams.PurgeStreamAsync("AUDIT", new PurgeOptions { Keep = 1 });
        output.WriteLine($"{removed} removed");
        await streams.DeleteStreamAsync("AUDIT");
    }
}
