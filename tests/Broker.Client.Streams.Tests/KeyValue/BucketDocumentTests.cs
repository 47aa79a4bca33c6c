using Broker.Client.Streams.Tests.Support;

#pragma warning disable xUnit1051 // The code is the same as on the page.

namespace Broker.Client.Streams.Tests.KeyValue;

/// <summary>The code about buckets on the page docs/streams-client.md.</summary>
public sealed class BucketDocumentTests(SharedServers servers)
{
    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_code_of_the_page_runs(string server)
    {
        await using StreamSite site = await servers.ConnectAsync(server);
        await site.Streams.DeleteBucketAsync("profiles");

        await RunAsync(site.Streams);

        Bucket bucket = await site.Streams.GetBucketAsync("profiles");
        Assert.Equal("Ada Lovelace", (await bucket.GetAsync("users.1")).Text);
        Assert.Equal(5, (await bucket.GetStatusAsync()).History);
    }

    [Fact]
    public void The_code_of_the_page_is_the_code_of_this_file()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "streams-client.md"));
        string section = page[page.IndexOf("\n## Buckets", StringComparison.Ordinal)..];
        string code = section.Split("```", 3)[1];
        string[] shown = [.. code.Split('\n').Skip(1).Select(static line => line.Trim())];

        string here = string.Join('\n', File.ReadLines(ThisFile()).Select(static line => line.Trim()));

        Assert.True(shown.Length > 10, "the page has no code about buckets");
        Assert.Contains(string.Join('\n', shown).TrimEnd(), here, StringComparison.Ordinal);
    }

    private static string ThisFile() => Path.Combine(Repository.Root, "tests", "Broker.Client.Streams.Tests", "KeyValue", "BucketDocumentTests.cs");

    private static async Task RunAsync(StreamsClient streams)
    {
        Bucket bucket = await streams.CreateOrUpdateBucketAsync(new BucketOptions("profiles") { History = 5 });
        ulong revision = await bucket.CreateAsync("users.1", "Ada");
        revision = await bucket.UpdateAsync("users.1", "Ada Lovelace", revision);
        if (await bucket.FindAsync("users.1") is { } entry)
        {
            Console.WriteLine($"{entry.Key} is {entry.Text} since {entry.Created}");
        }

        await foreach (BucketUpdate update in bucket.WatchAsync("users.*"))
        {
            if (update.Entry is not { } changed)
            {
                // Everything that was stored has been returned. This comes once, also if nothing was stored.
                break;
            }

            Console.WriteLine(changed.IsDeleted ? $"{changed.Key} was deleted" : $"{changed.Key} is {changed.Text}");
        }
    }
}
