using System.Globalization;
using Broker.Client.Streams.Tests.Support;
using StreamPrograms;

namespace Broker.Client.Streams.Tests.Documents;

/// <summary>The programs of the samples that docs/streams-client.md shows.</summary>
public sealed class SampleTests
{
    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_sample_that_fetches_prints_what_its_page_says(string server)
        => Assert.Equal(["tasks.sweep, 2 more", "tasks.wash, 1 more", "tasks.dry, 0 more", "nothing"], await RunAsync(server, Fetching.RunAsync));

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_sample_that_manages_a_stream_prints_what_its_page_says(string server)
        => Assert.Equal(["2 of 1000 messages", "report has 2 messages to read", "the last login is Grace", "1 removed"], await RunAsync(server, StreamPrograms.Management.RunAsync));

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_sample_with_a_bucket_prints_what_its_page_says(string server)
        => Assert.Equal(["users.1 is Ada Lovelace", "users.1 is Ada Lovelace", "users.2 was deleted"], await RunAsync(server, Buckets.RunAsync));

    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_sample_with_an_object_store_prints_what_its_page_says(string server)
        => Assert.Equal(["2026/november: all orders, 13 bytes", "tea 4, milk 2"], await RunAsync(server, StreamPrograms.Objects.RunAsync));

    [Theory]
    [InlineData("OrderStream", "PublishOnce.cs")]
    [InlineData("OrderStream", "HandleOrders.cs")]
    [InlineData("OrderStream", "ReadHistory.cs")]
    [InlineData("StreamPrograms", "Fetching.cs")]
    [InlineData("StreamPrograms", "Management.cs")]
    [InlineData("StreamPrograms", "Buckets.cs")]
    [InlineData("StreamPrograms", "Objects.cs")]
    public void The_page_shows_the_program(string sample, string file)
    {
        string page = Read("docs", "streams-client.md");

        Assert.Contains($"```csharp\n{Read("samples", sample, file)}```", page, StringComparison.Ordinal);
    }

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path])).ReplaceLineEndings("\n");

    private static async Task<string[]> RunAsync(string server, Func<string, TextWriter, Task> program)
    {
        await using var running = StreamServer.Start(server);
        await using var output = new StringWriter(CultureInfo.InvariantCulture);
        await Wait.For(program(running.Url, output));
        return output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }
}
