using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Cli.Tests.Messaging;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;

namespace Broker.Cli.Tests.Streams;

/// <summary>Tests <c>broker stream</c> with nats-servers that have JetStream.</summary>
public sealed class StreamCommandTests
{
    public static TheoryData<string> Servers => StreamsServer.All;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_stream_is_created_listed_changed_and_deleted(string name)
    {
        using var server = StreamsServer.Start(name);

        string added = await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>,mails.*", "--max-age", "7d", "--max-bytes", "10MB");
        string[] facts = ["stream  ORDERS", "subjects  orders.>, mails.*", "storage  file", "retention  limits", "max-age  7d", "max-bytes  10 MiB", "max-msgs  none", "allow-direct  yes", "messages  0"];
        Assert.All(facts, fact => Assert.Contains(fact, Squeezed(added)));

        string[] rows = Squeezed(await server.RunAsync("stream", "ls"));
        Assert.Equal(["stream  storage  last message  messages  bytes  consumers", "ORDERS  file  -  0  0 B  0"], rows);
        Assert.Equal("ORDERS\n", await server.RunAsync("stream", "ls", "--names", "--subject", "orders.new"));

        (int exitCode, string output, string error) = await server.EndAsync("stream", "edit", "ORDERS", "--max-msgs", "5", "--allow-direct=false", "--dry-run");
        Assert.Equal((ExitCode.Success, "", "max-msgs: none -> 5\nallow-direct: yes -> no\n"), (exitCode, output, error));
        (exitCode, output, error) = await server.EndAsync("stream", "edit", "ORDERS", "--max-msgs", "5", "--force", "--json");
        Assert.Equal((ExitCode.Success, "max-msgs: none -> 5\n"), (exitCode, error));
        Assert.Equal(5, JsonDocument.Parse(output).RootElement.GetProperty("config").GetProperty("max_msgs").GetInt64());
        Assert.Equal((ExitCode.Success, "", "nothing to change\n"), await server.EndAsync("stream", "edit", "ORDERS", "--max-msgs", "5"));

        Assert.Equal("deleted the stream ORDERS with 0 messages and 0 consumers\n", await server.RunAsync("stream", "rm", "ORDERS", "-f"));
        Assert.Equal((ExitCode.Success, "", "no streams\n"), await server.EndAsync("stream", "ls"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Each_option_reaches_the_server(string name)
    {
        using var server = StreamsServer.Start(name);

        string output = await server.RunAsync(
            "stream", "add", "ALL", "--subjects", "a", "--subjects", "b", "--description", "every option", "--storage", "memory", "--retention", "interest",
            "--discard", "new", "--max-msgs", "10", "--max-msgs-per-subject", "2", "--max-bytes", "1MB", "--max-age", "1h30m", "--max-msg-size", "1KB",
            "--max-consumers", "3", "--replicas", "1", "--dupe-window", "1m", "--ack=false", "--allow-direct", "false", "--allow-rollup",
            "--deny-delete", "--json");

        JsonElement config = JsonDocument.Parse(output).RootElement.GetProperty("config");
        string[] expected =
        [
            """name="ALL" """, """description="every option" """, """subjects=["a","b"]""", """retention="interest" """, "max_consumers=3", "max_msgs=10", "max_bytes=1048576",
            "max_age=5400000000000", "max_msgs_per_subject=2", "max_msg_size=1024", """discard="new" """, """storage="memory" """, "num_replicas=1",
            "duplicate_window=60000000000", "no_ack=true", "allow_rollup_hdrs=true", "deny_delete=true",
        ];
        string[] shown = [.. config.EnumerateObject().Select(static member => $"{member.Name}={member.Value.GetRawText()}")];
        Assert.All(expected, member => Assert.Contains(member.TrimEnd(), shown));
        Assert.False(config.TryGetProperty("allow_direct", out _));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_stream_is_created_and_changed_by_the_file_that_info_prints(string name)
    {
        using var server = StreamsServer.Start(name);
        using var folder = new TemporaryFolder();
        await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>", "--max-msgs", "5", "--max-age", "7d");
        string info = folder.Write("info.json", await server.RunAsync("stream", "info", "ORDERS", "--json"));
        await server.RunAsync("stream", "rm", "ORDERS", "-f");

        string[] added = Squeezed(await server.RunAsync("stream", "add", "ORDERS", "--config", info, "--max-msgs", "6"));
        Assert.All((string[])["subjects  orders.>", "max-msgs  6", "max-age  7d"], fact => Assert.Contains(fact, added));
        (int exitCode, _, string error) = await server.EndAsync("stream", "edit", "ORDERS", "--config", info, "-f");
        Assert.Equal((ExitCode.Success, "max-msgs: 6 -> 5\n"), (exitCode, error));

        string wrong = folder.Write("wrong.json", """{"retention":"sometimes","subjects":["a"]}""");
        Assert.Contains("is not the configuration of a stream", await server.FailAsync(ExitCode.Usage, "stream", "add", "OTHER", "--config", wrong), StringComparison.Ordinal);
        Assert.Contains("cannot be used", await server.FailAsync(ExitCode.Usage, "stream", "add", "OTHER", "--config", info + ".none"), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_mirror_and_sources_copy_streams(string name)
    {
        using var server = StreamsServer.Start(name);
        await server.RunAsync("stream", "add", "ONE", "--subjects", "one");
        await server.RunAsync("stream", "add", "TWO", "--subjects", "two");

        Assert.Contains("mirror  ONE", Squeezed(await server.RunAsync("stream", "add", "COPY", "--mirror", "ONE")));
        Assert.Contains("source  ONE, TWO", Squeezed(await server.RunAsync("stream", "add", "BOTH", "--source", "ONE,TWO")));
        JsonElement both = JsonDocument.Parse(await server.RunAsync("stream", "info", "BOTH", "--json")).RootElement;
        Assert.Equal(["ONE", "TWO"], both.GetProperty("config").GetProperty("sources").EnumerateArray().Select(static source => source.GetProperty("name").GetString()));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Messages_are_shown_by_sequence_and_by_subject(string name)
    {
        using var server = StreamsServer.Start(name);
        await FillAsync(server, "orders.new", "orders.old", "orders.new");

        Assert.Matches(@"^1 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ orders\.new \{Trace: 1\} body 1\n$", await server.RunAsync("stream", "get", "ORDERS", "1"));
        JsonElement last = JsonDocument.Parse(await server.RunAsync("stream", "get", "ORDERS", "-S", "orders.old", "--json")).RootElement;
        Assert.Equal("ORDERS 2 orders.old body 2", $"{last.GetProperty("stream")} {last.GetProperty("sequence")} {last.GetProperty("subject")} {last.GetProperty("body")}");
        Assert.Equal("body 3\n", await server.RunAsync("stream", "get", "ORDERS", "3", "--raw"));
        Assert.Equal("broker: the stream ORDERS has no message with the sequence 9\n", await server.FailAsync(ExitCode.Failure, "stream", "get", "ORDERS", "9"));
        Assert.Equal("broker: the stream ORDERS has no message of the subject none\n", await server.FailAsync(ExitCode.Failure, "stream", "get", "ORDERS", "-S", "none"));

        Assert.Equal("body 1\nbody 2\nbody 3\n", await server.RunAsync("stream", "view", "ORDERS", "--raw"));
        Assert.Equal("body 1\nbody 3\n", await server.RunAsync("stream", "view", "ORDERS", "--raw", "--subject", "orders.new"));
        Assert.Equal("body 2\n", await server.RunAsync("stream", "view", "ORDERS", "--raw", "--seq", "2", "--count", "1"));
        Assert.Equal("body 1\nbody 2\nbody 3\n", await server.RunAsync("stream", "view", "ORDERS", "--raw", "--since", "1h"));
        Assert.Equal("body 2\n", await server.RunAsync("stream", "view", "ORDERS", "--raw", "--since", "1h", "--subject", "orders.old"));
        Assert.Equal((ExitCode.Success, "", "no messages\n"), await server.EndAsync("stream", "view", "ORDERS", "--since", "1h", "--subject", "none"));

        Assert.Equal(["subject  messages", "orders.new  2", "orders.old  1"], Squeezed(await server.RunAsync("stream", "subjects", "ORDERS")));
        Assert.Equal("""{"subject":"orders.old","messages":1}""" + "\n", await server.RunAsync("stream", "subjects", "ORDERS", "*.old", "--json"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_work_queue_can_be_looked_at_beside_its_consumer(string name)
    {
        using var server = StreamsServer.Start(name);
        await FillAsync(server, ["orders.new", "orders.new"], "--retention", "workqueue");
        await server.RunAsync("consumer", "add", "ORDERS", "worker");

        Assert.Equal("body 1\nbody 2\n", await server.RunAsync("stream", "view", "ORDERS", "--raw"));
        Assert.Equal("body 1\nbody 2\n", await server.RunAsync("stream", "view", "ORDERS", "--raw"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_view_that_follows_shows_what_is_stored_later_and_ends_with_success(string name)
    {
        using var server = StreamsServer.Start(name);
        await FillAsync(server, "orders.new");
        await using var view = ShellRun.Start(server.With("stream", "view", "ORDERS", "--raw", "--follow"));
        await view.ShownAsync("body 1\n");

        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams();
        await streams.PublishAsync("orders.new", "later"u8.ToArray(), cancellationToken: Ended);
        await view.ShownAsync("later\n");

        Assert.Equal(ExitCode.Success, await view.StopAsync());
        Assert.Equal("body 1\nlater\n", view.Output);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Messages_are_deleted_and_purged(string name)
    {
        using var server = StreamsServer.Start(name);
        await FillAsync(server, "orders.new", "orders.old", "orders.new", "orders.new", "orders.new", "orders.new");

        Assert.Equal("deleted the message 1 of the stream ORDERS\n", await server.RunAsync("stream", "rmm", "ORDERS", "1", "--force"));
        Assert.Equal("broker: the stream ORDERS has no message with the sequence 1\n", await server.FailAsync(ExitCode.Failure, "stream", "rm-msg", "ORDERS", "1", "--force"));
        Assert.Equal("removed 1 message of the stream ORDERS\n", await server.RunAsync("stream", "purge", "ORDERS", "--force", "--subject", "orders.old"));
        Assert.Equal("""{"stream":"ORDERS","purged":1}""" + "\n", await server.RunAsync("stream", "purge", "ORDERS", "--force", "--seq", "4", "--json"));
        Assert.Equal("removed 2 messages of the stream ORDERS\n", await server.RunAsync("stream", "purge", "ORDERS", "--force", "--keep", "1"));
        Assert.Equal("body 6\n", await server.RunAsync("stream", "view", "ORDERS", "--raw"));
        Assert.Equal("removed 1 message of the stream ORDERS\n", await server.RunAsync("stream", "purge", "ORDERS", "--force"));
    }

    [Fact]
    public async Task Without_force_the_user_is_asked_and_only_yes_deletes()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);
        await FillAsync(server, "orders.new");

        await using (var no = ShellRun.StartTyping("n\n", server.With("stream", "rm", "ORDERS")))
        {
            Assert.Equal(ExitCode.Failure, await no.EndAsync());
            Assert.Equal("Delete the stream ORDERS with 1 message and 0 consumers? (y/N)\nbroker: not confirmed, so nothing was changed\n", no.Error);
        }

        // A script has no terminal.
        await using (var script = ShellRun.StartWith("y\n"u8.ToArray(), server.With("stream", "rm", "ORDERS")))
        {
            Assert.Equal(ExitCode.Usage, await script.EndAsync());
            Assert.Equal("broker: standard input is not a terminal, so nobody can confirm; --force does not ask\n", script.Error);
        }

        Assert.Equal("ORDERS\n", await server.RunAsync("stream", "ls", "--names"));
        await using var yes = ShellRun.StartTyping("y\n", server.With("stream", "rm", "ORDERS", "--json"));
        Assert.Equal((ExitCode.Success, """{"stream":"ORDERS","deleted":true}""" + "\n"), (await yes.EndAsync(), yes.Output));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task An_unknown_stream_is_named_with_those_that_exist(string name)
    {
        using var server = StreamsServer.Start(name);
        Assert.Equal("broker: there is no stream ORDRES, and no other stream\n", await server.FailAsync(ExitCode.Failure, "stream", "info", "ORDRES"));
        await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>");

        foreach (string[] args in (string[][])[["info", "ORDRES"], ["edit", "ORDRES", "--max-age", "1h"], ["rm", "ORDRES"], ["purge", "ORDRES"], ["view", "ORDRES"], ["view", "ORDRES", "--follow"], ["get", "ORDRES", "1"], ["rmm", "ORDRES", "1"], ["subjects", "ORDRES"]])
        {
            Assert.Equal("broker: there is no stream ORDRES; did you mean ORDERS?\n", await server.FailAsync(ExitCode.Failure, ["stream", .. args]));
        }

        Assert.Equal("broker: there is no stream X; there is ORDERS\n", await server.FailAsync(ExitCode.Failure, "stream", "info", "X"));
        for (int i = 0; i < 6; i++)
        {
            await server.RunAsync("stream", "add", string.Create(CultureInfo.InvariantCulture, $"EVENTS{i}"), "--subjects", string.Create(CultureInfo.InvariantCulture, $"e{i}"));
        }

        Assert.EndsWith(" and 2 more\n", await server.FailAsync(ExitCode.Failure, "stream", "info", "X"), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task What_the_server_refuses_is_said_in_its_words(string name)
    {
        using var server = StreamsServer.Start(name);
        await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>");

        Assert.Equal(
            "broker: the stream ORDERS exists with another configuration; broker stream edit changes it\n",
            await server.FailAsync(ExitCode.Failure, "stream", "add", "ORDERS", "--subjects", "other"));
        Assert.Matches("^broker: the server refuses it: .+ \\(code [0-9]+\\)\n$", await server.FailAsync(ExitCode.Failure, "stream", "add", "SECOND", "--subjects", "orders.*"));
    }

    [Fact]
    public async Task A_server_without_streams_is_said_to_have_none()
    {
        using var server = NatsServer.Start();
        await using BrokerServer ours = await MessageCommandTests.StartAsync();

        foreach (string url in (string[])[server.Url, MessageCommandTests.Url(ours)])
        {
            (int ExitCode, string Output, string Error) run = await ShellRun.OfAsync("stream", "ls", "-s", url);
            Assert.Equal((ExitCode.Failure, "", "broker: this server has no streams: JetStream is not enabled on it, or --js-domain is missing\n"), run);
        }
    }

    [Fact]
    public async Task An_account_without_streams_is_said_to_have_none()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed, """
            accounts {
              A { users: [ { user: a, password: secret } ] }
              B { jetstream: enabled, users: [ { user: b, password: secret } ] }
            }
            """);

        Assert.Equal(
            "broker: the account of this user has no streams: JetStream is not enabled for it\n",
            await server.FailAsync(ExitCode.Failure, "stream", "ls", "--user", "a", "--pass", "secret"));
        Assert.Equal((ExitCode.Success, "", "no streams\n"), await server.EndAsync("stream", "ls", "--user", "b", "--pass", "secret"));
    }

    [Fact]
    public async Task The_domain_and_the_prefix_choose_the_streams()
    {
        DirectoryInfo store = Directory.CreateTempSubdirectory("streams-");
        try
        {
            using var server = NatsServer.StartWithConfiguration($$"""jetstream { store_dir: "{{store.FullName.Replace('\\', '/')}}", domain: hub }""");
            (int ExitCode, string Output, string Error) run = await ShellRun.OfAsync("stream", "ls", "--js-domain", "hub", "-s", server.Url);
            Assert.Equal((ExitCode.Success, "", "no streams\n"), run);
            run = await ShellRun.OfAsync("stream", "ls", "--js-api-prefix", "$JS.hub.API", "-s", server.Url);
            Assert.Equal((ExitCode.Success, "", "no streams\n"), run);
        }
        finally
        {
            store.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Streams_of_buckets_are_listed_on_demand()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams();
        await streams.CreateBucketAsync("settings", Ended);

        Assert.Equal((ExitCode.Success, "", "1 stream of buckets, object stores or MQTT is not listed (--all lists all)\n"), await server.EndAsync("stream", "ls"));
        Assert.Equal("KV_settings\n", await server.RunAsync("stream", "ls", "--all", "--names"));
    }

    [Theory]
    [InlineData("--subjects is missing", "add", "A")]
    [InlineData("--max-age must be a time such as 30s, 12h, 1h30m or 7d, not \"1x\"", "add", "A", "--subjects", "a", "--max-age", "1x")]
    [InlineData("--max-msgs must be a whole number above 0, or -1 for no limit, not \"0\"", "add", "A", "--subjects", "a", "--max-msgs", "0")]
    [InlineData("--storage must be file or memory, not \"disk\"", "add", "A", "--subjects", "a", "--storage", "disk")]
    [InlineData("the sequence must be a whole number above 0, not \"x\"", "get", "A", "x")]
    [InlineData("a sequence or --last-for is needed, and not both", "get", "A")]
    [InlineData("--seq and --keep cannot be combined", "purge", "A", "--seq", "1", "--keep", "1")]
    [InlineData("--seq and --since cannot be combined", "view", "A", "--seq", "1", "--since", "1h")]
    [InlineData("--js-domain and --js-api-prefix cannot be combined", "ls", "--js-domain", "a", "--js-api-prefix", "b")]
    [InlineData("--timeout must be a time above 0 and at most 24h", "ls", "--timeout", "0s")]
    [InlineData("'a.b' is not a valid name", "info", "a.b")]
    public async Task A_wrong_command_line_is_refused_with_the_reason(string reason, params string[] args)
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);

        string error = await server.FailAsync(ExitCode.Usage, ["stream", .. args]);

        Assert.StartsWith("broker: " + reason, error, StringComparison.Ordinal);
        Assert.Equal(1, error.Count(static c => c == '\n'));
    }

    // Creates the stream ORDERS with messages of these subjects, "body 1" and so on. The first one has a header.
    private static Task FillAsync(StreamsServer server, params string[] subjects) => FillAsync(server, subjects, "--storage", "file");

    private static async Task FillAsync(StreamsServer server, string[] subjects, string flag, string value)
    {
        await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>", flag, value);
        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams();
        var headers = new MessageHeaders { { "Trace", "1" } };
        for (int i = 0; i < subjects.Length; i++)
        {
            byte[] body = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"body {i + 1}"));
            await streams.PublishAsync(subjects[i], body, headers: i == 0 ? headers.ToBlock() : default, cancellationToken: Ended);
        }
    }

    // The lines with two blanks between columns.
    private static string[] Squeezed(string text)
        => [.. text.TrimEnd('\n').Split('\n').Select(static line => string.Join("  ", line.Split("  ", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)))];
}
