using Broker.Client;
using Broker.Client.Streams;

namespace StreamPrograms;

/// <summary>Writes a value by its revision, reads it, and watches the keys of a bucket.</summary>
public static class Buckets
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(url);
        using var streams = connection.Streams();
        var bucket = await streams.CreateOrUpdateBucketAsync(new BucketOptions("profiles") { History = 5 });
        var revision = await bucket.CreateAsync("users.1", "Ada");
        await bucket.UpdateAsync("users.1", "Ada Lovelace", revision);
        await bucket.PutAsync("users.2", "Grace");
        await bucket.DeleteAsync("users.2");
        if (await bucket.FindAsync("users.1") is { } entry)
        {
            output.WriteLine($"{entry.Key} is {entry.Text}");
        }

        await foreach (var update in bucket.WatchAsync("users.*"))
        {
            if (update.Entry is not { } changed)
            {
                // Everything that was stored has been returned. This comes once, also if nothing was stored.
                break;
            }

            output.WriteLine(changed.IsDeleted ? $"{changed.Key} was deleted" : $"{changed.Key} is {changed.Text}");
        }
    }
}
