using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Cli.Tests.Streams;

/// <summary>Tests <c>broker consumer</c> with nats-servers that have JetStream.</summary>
public sealed class ConsumerCommandTests
{
    public static TheoryData<string> Servers => StreamsServer.All;

    public static TheoryData<string> Newest => StreamsServer.Newest;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_consumer_is_created_listed_changed_and_deleted(string name)
    {
        using StreamsServer server = await StartAsync(name, 2);

        string added = await server.RunAsync("consumer", "add", "ORDERS", "billing", "--filter", "orders.new", "--deliver", "last", "--max-deliver", "5");
        string[] facts = ["consumer billing", "stream ORDERS", "kind pull, durable", "filter orders.new", "deliver last", "ack explicit", "ack-wait 30s", "max-deliver 5", "not delivered yet 1"];
        Assert.All(facts, fact => Assert.Contains(fact, Squeezed(added)));

        string[] rows = Squeezed(await server.RunAsync("consumer", "ls", "ORDERS"));
        Assert.Equal(["consumer kind filter not delivered waiting for ack redelivered", "billing pull, durable orders.new 1 0 0"], rows);
        Assert.Equal("billing\n", await server.RunAsync("consumer", "ls", "ORDERS", "-n"));

        Assert.Equal((ExitCode.Success, "", "ack-wait: 30s -> 1m\n"), await server.EndAsync("consumer", "edit", "ORDERS", "billing", "--ack-wait", "1m", "--dry-run"));
        (int exitCode, string output, string error) = await server.EndAsync("consumer", "edit", "ORDERS", "billing", "--ack-wait", "1m", "--force", "--json");
        Assert.Equal((ExitCode.Success, "ack-wait: 30s -> 1m\n"), (exitCode, error));
        Assert.Equal(60_000_000_000, JsonDocument.Parse(output).RootElement.GetProperty("config").GetProperty("ack_wait").GetInt64());
        Assert.Contains("ack-wait 1m", Squeezed(await server.RunAsync("consumer", "info", "ORDERS", "billing")));

        Assert.Equal("deleted the consumer billing of the stream ORDERS\n", await server.RunAsync("consumer", "rm", "ORDERS", "billing", "--force"));
        Assert.Equal((ExitCode.Success, "", "no consumers\n"), await server.EndAsync("consumer", "ls", "ORDERS"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Each_option_reaches_the_server(string name)
    {
        using StreamsServer server = await StartAsync(name, 1);

        string output = await server.RunAsync(
            "consumer", "add", "ORDERS", "all", "--description", "every option", "--deliver", "1", "--ack", "explicit", "--replay", "original", "--memory",
            "--backoff", "1s,1m", "--max-deliver", "4", "--max-pending", "7", "--max-waiting", "9", "--max-pull-batch", "8", "--sample", "50%",
            "--inactive-threshold", "1d", "--headers-only", "--replicas", "1", "--json");

        string[] expected =
        [
            """durable_name="all" """, """description="every option" """, """deliver_policy="by_start_sequence" """, "opt_start_seq=1", """ack_policy="explicit" """,
            """replay_policy="original" """, "mem_storage=true", "backoff=[1000000000,60000000000]", "max_deliver=4", "max_ack_pending=7", "max_waiting=9", "max_batch=8",
            """sample_freq="50%" """, "inactive_threshold=86400000000000", "headers_only=true", "num_replicas=1",
        ];
        string[] shown = [.. JsonDocument.Parse(output).RootElement.GetProperty("config").EnumerateObject().Select(static member => $"{member.Name}={member.Value.GetRawText()}")];
        Assert.All(expected, member => Assert.Contains(member.TrimEnd(), shown));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_push_consumer_and_an_ephemeral_one_are_created(string name)
    {
        using StreamsServer server = await StartAsync(name, 1);

        string added = await server.RunAsync("consumer", "add", "ORDERS", "screen", "--target", "screens.a", "--deliver-group", "all", "--heartbeat", "5s", "--flow-control", "--ack", "none");
        Assert.All((string[])["kind push, durable", "target screens.a", "deliver-group all", "heartbeat 5s", "flow-control yes", "ack none"], fact => Assert.Contains(fact, Squeezed(added)));
        JsonElement ephemeral = JsonDocument.Parse(await server.RunAsync("consumer", "add", "ORDERS", "--deliver", "1h", "--json")).RootElement;
        Assert.False(ephemeral.GetProperty("config").TryGetProperty("durable_name", out _));
        Assert.Equal("by_start_time", ephemeral.GetProperty("config").GetProperty("deliver_policy").GetString());

        Assert.Equal(
            "broker: the consumer screen is a push consumer: broker sub shows what it delivers to screens.a\n",
            await server.FailAsync(ExitCode.Usage, "consumer", "next", "ORDERS", "screen"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Messages_are_taken_once_and_acknowledged(string name)
    {
        using StreamsServer server = await StartAsync(name, 3);
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        Assert.Matches(@"^1 20[^ ]+Z orders\.new body 1\n$", await server.RunAsync("consumer", "next", "ORDERS", "billing"));
        string[] lines = (await server.RunAsync("consumer", "next", "ORDERS", "billing", "--count", "2", "--json")).TrimEnd().Split('\n');
        JsonElement[] messages = [.. lines.Select(static line => JsonDocument.Parse(line).RootElement)];
        Assert.Equal(["2 body 2 1 1", "3 body 3 1 0"], messages.Select(static m => $"{m.GetProperty("sequence")} {m.GetProperty("body")} {m.GetProperty("delivered")} {m.GetProperty("pending")}"));
        Assert.Equal("broker: no message in time\n", await server.FailAsync(ExitCode.NothingCame, "consumer", "next", "ORDERS", "billing", "--timeout", "100ms"));

        JsonElement info = JsonDocument.Parse(await server.RunAsync("consumer", "info", "ORDERS", "billing", "--json")).RootElement;
        Assert.Equal("0 0 3", $"{info.GetProperty("num_pending")} {info.GetProperty("num_ack_pending")} {info.GetProperty("ack_floor").GetProperty("stream_seq")}");
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_message_may_stay_unacknowledged_be_refused_or_be_given_up(string name)
    {
        using StreamsServer server = await StartAsync(name, 1);
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        Assert.Equal("body 1\n", await server.RunAsync("consumer", "next", "ORDERS", "billing", "--raw", "--nak"));
        Assert.Equal("body 1\n", await server.RunAsync("consumer", "next", "ORDERS", "billing", "--raw", "--nak"));
        Assert.Equal("body 1\n", await server.RunAsync("consumer", "next", "ORDERS", "billing", "--raw", "--ack=false"));
        Assert.Contains("waiting for ack 1", Squeezed(await server.RunAsync("consumer", "info", "ORDERS", "billing")));

        await server.RunAsync("consumer", "add", "ORDERS", "other");
        Assert.Equal("body 1\n", await server.RunAsync("consumer", "next", "ORDERS", "other", "--raw", "--term"));
        Assert.Contains("waiting for ack 0", Squeezed(await server.RunAsync("consumer", "info", "ORDERS", "other")));
        Assert.Equal(
            "broker: --ack, --nak and --term cannot be combined\n", await server.FailAsync(ExitCode.Usage, "consumer", "next", "ORDERS", "billing", "--nak", "--term"));
    }

    [Fact]
    public async Task More_messages_than_one_pull_are_taken_and_missing_ones_are_counted()
    {
        const int Stored = 600;
        using StreamsServer server = await StartAsync(StreamsServer.Installed, Stored);
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        string output = await server.RunAsync("consumer", "next", "ORDERS", "billing", "--raw", "--count", "600");
        Assert.Equal(Enumerable.Range(1, Stored).Select(static i => $"body {i}"), output.TrimEnd().Split('\n'));

        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams();
        await streams.PublishAsync("orders.new", "last"u8.ToArray(), cancellationToken: Ended);
        Assert.Equal(
            (ExitCode.NothingCame, "last\n", "broker: only 1 of 2 messages in time\n"),
            await server.EndAsync("consumer", "next", "ORDERS", "billing", "--raw", "--count", "2", "--timeout", "10s"));
    }

    [Theory]
    [MemberData(nameof(Newest))]
    public async Task A_consumer_is_paused_and_resumed(string name)
    {
        using StreamsServer server = await StartAsync(name, 1);
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        Assert.Matches("^paused the consumer billing of the stream ORDERS until 20[^ ]+ [^ ]+Z\n$", await server.RunAsync("consumer", "pause", "ORDERS", "billing", "1h", "--force"));
        Assert.True(JsonDocument.Parse(await server.RunAsync("consumer", "info", "ORDERS", "billing", "--json")).RootElement.GetProperty("paused").GetBoolean());
        Assert.Equal("resumed the consumer billing of the stream ORDERS\n", await server.RunAsync("consumer", "resume", "ORDERS", "billing"));
        Assert.Equal("body 1\n", await server.RunAsync("consumer", "next", "ORDERS", "billing", "--raw"));
        Assert.Equal(
            "broker: the consumer is not paused, because 2020-01-01 00:00:00Z is over\n",
            await server.FailAsync(ExitCode.Failure, "consumer", "pause", "ORDERS", "billing", "2020-01-01T00:00:00Z", "--force"));
    }

    [Fact]
    public async Task An_older_server_is_said_to_be_too_old_for_a_pause()
    {
        using StreamsServer server = await StartAsync(StreamsServer.Installed, 0);
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        string error = await server.FailAsync(ExitCode.Failure, "consumer", "pause", "ORDERS", "billing", "1h", "--force", "--timeout", "1s");

        Assert.Matches(@"^broker: the server \(2\.[0-9.]+\) does not answer; only nats-server 2\.11 and later can pause consumers\n$", error);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task An_unknown_consumer_is_named_with_those_that_exist(string name)
    {
        using StreamsServer server = await StartAsync(name, 0);
        Assert.Equal("broker: there is no consumer biling of the stream ORDERS, and no other consumer\n", await server.FailAsync(ExitCode.Failure, "consumer", "info", "ORDERS", "biling"));
        await server.RunAsync("consumer", "add", "ORDERS", "billing");

        foreach (string[] args in (string[][])[["info"], ["edit"], ["rm"], ["next"], ["resume"]])
        {
            Assert.Equal(
                "broker: there is no consumer biling of the stream ORDERS; did you mean billing?\n",
                await server.FailAsync(ExitCode.Failure, ["consumer", .. args, "ORDERS", "biling"]));
        }

        Assert.Equal("broker: there is no stream ORDER; did you mean ORDERS?\n", await server.FailAsync(ExitCode.Failure, "consumer", "ls", "ORDER"));
        Assert.Equal("broker: there is no stream ORDER; did you mean ORDERS?\n", await server.FailAsync(ExitCode.Failure, "consumer", "add", "ORDER", "billing"));
    }

    [Theory]
    [InlineData("--deliver must be all, last, new, subject, a sequence, a time such as 1h, or a date such as 2026-01-31T12:00:00Z, not \"first\"", "add", "A", "b", "--deliver", "first")]
    [InlineData("--backoff must be times such as 1s,10s,1m, not \"x\"", "add", "A", "b", "--backoff", "1s,x")]
    [InlineData("--deliver-group, --heartbeat and --flow-control are for push consumers, which need --target", "add", "A", "b", "--flow-control")]
    [InlineData("the end of the pause must be a time such as 1h, or a date such as 2030-01-31T06:00:00Z, not \"soon\"", "pause", "A", "b", "soon")]
    public async Task A_wrong_command_line_is_refused_with_the_reason(string reason, params string[] args)
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);

        Assert.StartsWith("broker: " + reason, await server.FailAsync(ExitCode.Usage, ["consumer", .. args]), StringComparison.Ordinal);
    }

    // Starts a server with the stream ORDERS and messages "body 1" and so on.
    private static async Task<StreamsServer> StartAsync(string name, int messages)
    {
        var server = StreamsServer.Start(name);
        try
        {
            await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>");
            await using BrokerConnection connection = await server.ConnectAsync();
            using StreamsClient streams = connection.Streams();
            for (int i = 1; i <= messages; i++)
            {
                await streams.PublishAsync("orders.new", Encoding.UTF8.GetBytes($"body {i}"), cancellationToken: Ended);
            }

            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    // The lines with one blank between words.
    private static string[] Squeezed(string text)
        => [.. text.TrimEnd('\n').Split('\n').Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries)))];
}
