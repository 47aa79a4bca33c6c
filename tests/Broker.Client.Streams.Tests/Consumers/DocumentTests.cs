using System.Text;
using Broker.Client.Streams.Tests.Support;

#pragma warning disable IDE0007, IDE0008, xUnit1051 // The code is the same as in the documents.

namespace Broker.Client.Streams.Tests.Consumers;

/// <summary>The code of docs/streams-client.md and of the package's page is below, line for line, and works.</summary>
public sealed class DocumentTests
{
    [Theory]
    [InlineData("docs/streams-client.md")]
    [InlineData("src/Broker.Client.Streams/README.md")]
    public void Each_line_of_code_is_in_the_program(string page)
    {
        string tests = Path.Combine(Repository.Root, "tests", "Broker.Client.Streams.Tests");
        string program = File.ReadAllText(Path.Combine(tests, "Consumers", "DocumentTests.cs"));
        program = program[program.IndexOf("// Program", StringComparison.Ordinal)..];
        string[] blocks = File.ReadAllText(Path.Combine(Repository.Root, page)).Split("```");
        int lines = 0;
        for (int i = 1; i < blocks.Length; i += 2)
        {
            if (blocks[i].Contains("\nnamespace ", StringComparison.Ordinal))
            {
                // A program of the samples, which SampleTests compares and runs.
                continue;
            }

            foreach (string line in blocks[i].Split('\n').Skip(1).Select(static l => l.Trim()).Where(static l => l.Length > 0 && !l.StartsWith("using Broker", StringComparison.Ordinal)))
            {
                lines++;
                Assert.Contains(line.Replace("\"nats://localhost\"", "url", StringComparison.Ordinal), program, StringComparison.Ordinal);
            }
        }

        Assert.True(lines >= 4);
    }

    // Program
    [Theory]
    [MemberData(nameof(EachServer.All), MemberType = typeof(EachServer))]
    public async Task The_program_of_the_page_works(string name)
    {
        await using var server = StreamServer.Start(name);
        string url = server.Url;
        ReadOnlyMemory<byte> body = "two"u8.ToArray();
        using var stop = new CancellationTokenSource();
        CancellationToken stopping = stop.Token;
        var handled = new List<string>();
        void Handle(string subject, ReadOnlySpan<byte> bytes)
        {
            handled.Add($"{subject} {Encoding.UTF8.GetString(bytes)}");
            if (handled.Count == 2)
            {
                stop.Cancel();
            }
        }

        await using var connection = await BrokerConnection.ConnectAsync(url);
        using var streams = connection.Streams();
        await streams.CreateOrUpdateStreamAsync(new StreamConfig("ORDERS", "orders.>"));
        await FirstAsync(streams);
        PublishAck ack = await streams.PublishAsync("orders.new", body, new StreamPublishOptions { MessageId = "order-1" });
        Assert.True(ack.IsDuplicate);
        await streams.PublishAsync("orders.new", body, new StreamPublishOptions { MessageId = "order-2" });
        StreamConsumer consumer = await streams.CreateOrUpdateConsumerAsync("ORDERS", new ConsumerConfig("billing"));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (StreamMessage message in consumer.ConsumeAsync(cancellationToken: stopping))
            {
                Handle(message.Subject, message.Body.Span);
                await message.AckAsync();
            }
        });

        Assert.Equal(["orders.new one", "orders.new two"], handled);
    }

    private static async Task FirstAsync(StreamsClient streams)
    {
        PublishAck ack = await streams.PublishAsync("orders.new", "one"u8.ToArray(), new StreamPublishOptions { MessageId = "order-1" });
        Assert.Equal(1ul, ack.Sequence);
    }
}
