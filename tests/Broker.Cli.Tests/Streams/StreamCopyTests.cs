using System.Text;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.Streams;

namespace Broker.Cli.Tests.Streams;

/// <summary>Copies streams of nats-servers and of a broker into a broker.</summary>
public sealed class StreamCopyTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Servers => StreamsServer.All;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_stream_of_a_nats_server_is_copied_with_its_sequences(string name)
    {
        using var server = StreamsServer.Start(name);
        await using BrokerConnection source = await server.ConnectAsync();
        using StreamsClient streams = source.Streams();
        await FillAsync(streams);

        await CopyAsync(server.Url, streams);
    }

    [Fact]
    public async Task A_stream_of_a_broker_is_copied_with_its_sequences()
    {
        await using BrokerServer server = await StartAsync("source");
        await using BrokerConnection source = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(server)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = source.Streams();
        await FillAsync(streams);

        await CopyAsync(Url(server), streams);
    }

    [Fact]
    public async Task A_bucket_is_copied_with_its_revisions_and_can_be_used()
    {
        using var server = StreamsServer.Start(NewerNatsServers.Trixie);
        await server.RunAsync("kv", "add", "settings", "--history", "2");
        await server.RunAsync("kv", "create", "settings", "door", "open");
        for (int i = 0; i < 5; i++)
        {
            await server.RunAsync("kv", "put", "settings", "lamp", $"{i}");
        }

        await using BrokerServer target = await StartAsync("target");

        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "KV_settings", "--from", server.Url, "-s", Url(target), "--timeout", "2m");

        Assert.True(exitCode == ExitCode.Success, error);
        Assert.Contains("copied 3 messages; 3 sequences are empty, as in the original\n", error, StringComparison.Ordinal);
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(target)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = connection.Streams();
        Bucket bucket = await streams.GetBucketAsync("settings", Ended);
        BucketEntry entry = await bucket.GetAsync("lamp", Ended);
        Assert.Equal((6UL, "4"), (entry.Revision, entry.Text));
        Assert.Equal(7UL, await bucket.UpdateAsync("lamp", "on", 6, Ended));
        Assert.Equal("open", (await bucket.GetAsync("door", Ended)).Text);
    }

    [Fact]
    public async Task A_stream_that_exists_is_not_changed()
    {
        await using BrokerServer server = await StartAsync("source");
        await using BrokerConnection source = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(server)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = source.Streams();
        await FillAsync(streams);

        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "ORDERS", "--from", Url(server), "-s", Url(server), "--timeout", "2m");

        Assert.Equal((ExitCode.Failure, "broker: the stream ORDERS exists already; broker stream rm removes it\n"), (exitCode, error));
        Assert.Equal(5UL, (await streams.GetStreamAsync("ORDERS", null, Ended)).State.Messages);
    }

    [Fact]
    public async Task An_object_store_is_copied_and_can_be_read()
    {
        using var server = StreamsServer.Start(NewerNatsServers.Trixie);
        byte[] report = new byte[300_000];
        Random.Shared.NextBytes(report);
        await server.RunAsync("object", "add", "reports");
        foreach (byte[] content in (byte[][])["an older one"u8.ToArray(), report])
        {
            await using var put = ShellRun.StartWith(content, server.With("object", "put", "reports", "--name", "monday", "--force"));
            Assert.Equal(ExitCode.Success, await put.EndAsync());
        }

        await using BrokerServer target = await StartAsync("target");
        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "OBJ_reports", "--from", server.Url, "-s", Url(target), "--timeout", "2m");

        Assert.True(exitCode == ExitCode.Success, error);
        string file = Path.Combine(_folder.Path, "monday");
        (exitCode, _, error) = await ShellRun.OfAsync("object", "get", "reports", "monday", "--output", file, "-s", Url(target), "--timeout", "2m");
        Assert.True(exitCode == ExitCode.Success, error);
        Assert.Equal(report, await File.ReadAllBytesAsync(file, Ended));
    }

    [Theory]
    [InlineData("a mirror; copy the stream ONE", "--mirror", "ONE")]
    [InlineData("the streams that are its sources", "--source", "ONE")]
    [InlineData("the retention interest", "--subjects", "two", "--retention", "interest")]
    public async Task A_stream_whose_messages_a_copy_could_not_have_is_refused(string reason, params string[] flags)
    {
        using var server = StreamsServer.Start(NewerNatsServers.Trixie);
        await server.RunAsync("stream", "add", "ONE", "--subjects", "one");
        await server.RunAsync(["stream", "add", "TWO", .. flags]);
        await using BrokerServer target = await StartAsync("target");

        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "TWO", "--from", server.Url, "-s", Url(target), "--timeout", "2m");

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Contains(reason, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_copy_that_fails_leaves_no_stream()
    {
        await using BrokerServer server = await StartAsync("source");
        await using BrokerConnection source = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(server)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = source.Streams();
        await FillAsync(streams);
        await using BrokerServer target = await BrokerServer.StartAsync(
            static options =>
            {
                options.Listen(0);
                options.MaxPayload = 1024;
            },
            ServerStreams.In(Path.Combine(_folder.Path, "target")),
            Ended);
        await streams.PublishAsync("orders.last", new byte[2000], cancellationToken: Ended);

        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "ORDERS", "--from", Url(server), "-s", Url(target), "--timeout", "2m");

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Contains("the copy has failed, and the new stream ORDERS is removed", error, StringComparison.Ordinal);
        await using BrokerConnection other = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(target)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient targets = other.Streams();
        Assert.Null(await targets.FindStreamAsync("ORDERS", Ended));
    }

    [Fact]
    public async Task Errors_of_the_source_are_named()
    {
        await using BrokerServer server = await StartAsync("source");

        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "copy", "NONE", "--from", Url(server), "-s", Url(server), "--timeout", "2m");

        Assert.Equal((ExitCode.Failure, "broker: at the server of --from: there is no stream NONE, and no other stream\n"), (exitCode, error));
    }

    public void Dispose() => _folder.Dispose();

    // Gaps at the start, in the middle and at the end, a limit, a message id twice, and a condition that no longer
    // holds.
    private static async Task FillAsync(StreamsClient streams)
    {
        await streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>") { MaxMessagesPerSubject = 3, Description = "all orders", DuplicateWindow = TimeSpan.FromMilliseconds(100) }, Ended);
        for (int i = 1; i <= 5; i++)
        {
            await streams.PublishAsync("orders.old", Encoding.UTF8.GetBytes($"{i}"), cancellationToken: Ended);
        }

        var headers = new MessageHeaders();
        headers.Add("Trace", "1");
        await streams.PublishAsync("orders.new", "6"u8.ToArray(), new StreamPublishOptions { ExpectedLastSequence = 5 }, headers, Ended);
        await streams.PublishAsync("orders.new", "7"u8.ToArray(), new StreamPublishOptions { MessageId = "once" }, cancellationToken: Ended);
        await streams.PublishAsync("orders.new", "8"u8.ToArray(), cancellationToken: Ended);
        await streams.DeleteMessageAsync("ORDERS", 4, cancellationToken: Ended);
        await streams.DeleteMessageAsync("ORDERS", 8, cancellationToken: Ended);
        await streams.PublishAsync("orders.last", "9"u8.ToArray(), cancellationToken: Ended);
        await streams.DeleteMessageAsync("ORDERS", 9, cancellationToken: Ended);
        await streams.PublishAsync("orders.last", "10"u8.ToArray(), cancellationToken: Ended);
        await streams.CreateOrUpdateConsumerAsync("ORDERS", new ConsumerConfig { Durable = "billing" }, Ended);
    }

    private async Task CopyAsync(string from, StreamsClient source)
    {
        await using BrokerServer server = await StartAsync("target");
        (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", "copy", "ORDERS", "--from", from, "-s", Url(server), "--timeout", "2m");

        Assert.True(exitCode == ExitCode.Success, error);
        Assert.Contains("all orders", output, StringComparison.Ordinal);
        Assert.Equal("copied 5 messages; 3 sequences are empty, as in the original\n1 consumer is not copied\n", error);
        await using BrokerConnection target = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [Url(server)], ConnectTimeout = Wait.Limit }, Ended);
        using StreamsClient streams = target.Streams();
        Assert.Equal(await AllAsync(source), await AllAsync(streams));
        StreamInfo one = await source.GetStreamAsync("ORDERS", null, Ended);
        StreamInfo other = await streams.GetStreamAsync("ORDERS", null, Ended);
        Assert.Equal((one.State.FirstSequence, one.State.LastSequence, one.State.Messages), (other.State.FirstSequence, other.State.LastSequence, other.State.Messages));
        Assert.Equal((3L, TimeSpan.FromMilliseconds(100)), (other.Config.MaxMessagesPerSubject, other.Config.DuplicateWindow));
        Assert.Equal(["orders.>"], other.Config.Subjects);
    }

    private static async Task<List<string>> AllAsync(StreamsClient streams)
    {
        var all = new List<string>();
        for (ulong next = 1; await streams.FindNextMessageAsync("ORDERS", ">", next, cancellationToken: Ended) is { } message; next = message.Sequence + 1)
        {
            all.Add($"{message.Sequence} {message.Subject} {(message.Headers.IsEmpty ? "" : new MessageHeaders(message.Headers.Span)["Trace"])} {Encoding.UTF8.GetString(message.Body.Span)}");
        }

        return all;
    }

    private Task<BrokerServer> StartAsync(string name)
        => BrokerServer.StartAsync(static options => options.Listen(0), ServerStreams.In(Path.Combine(_folder.Path, name)), Ended);

    private static string Url(BrokerServer server) => $"nats://{server.EndPoints[0]}";
}
