using System.Text.Json;
using Broker.Cli.Tests.Shell;

namespace Broker.Cli.Tests.Streams;

/// <summary>Tests <c>broker kv</c> with nats-servers that have JetStream.</summary>
public sealed class BucketCommandTests
{
    public static TheoryData<string> Servers => StreamsServer.All;

    public static TheoryData<string> Newest => StreamsServer.Newest;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_bucket_is_created_listed_and_deleted(string name)
    {
        using var server = StreamsServer.Start(name);

        string added = await server.RunAsync(
            "kv", "add", "settings", "--history", "5", "--ttl", "7d", "--max-value-size", "1KB", "--max-bucket-size", "1MB", "--storage", "memory", "--description", "all");
        string[] facts = ["bucket settings", "description all", "history 5", "ttl 7d", "max-value-size 1 KiB", "max-bucket-size 1 MiB", "storage memory", "keys 0"];
        Assert.All(facts, fact => Assert.Contains(fact, Squeezed(added)));
        await server.RunAsync("kv", "put", "settings", "a", "1");

        Assert.Equal("settings\n", await server.RunAsync("kv", "ls", "-n"));
        string[] rows = Squeezed(await server.RunAsync("kv", "ls"));
        Assert.Equal("bucket storage last write keys revisions bytes", rows[0]);
        Assert.Matches("^settings memory 20[^ ]+ [^ ]+Z 1 1 [0-9]+ B$", rows[1]);
        JsonElement info = JsonDocument.Parse(await server.RunAsync("kv", "info", "settings", "--json")).RootElement;
        Assert.Equal("settings 5 604800000000000 1", $"{info.GetProperty("bucket")} {info.GetProperty("history")} {info.GetProperty("ttl")} {info.GetProperty("keys")}");
        Assert.Equal(
            "broker: the bucket settings exists with other options; broker kv info shows them\n", await server.FailAsync(ExitCode.Failure, "kv", "add", "settings"));

        Assert.Equal("deleted the bucket settings\n", await server.RunAsync("kv", "rm", "settings", "--force"));
        Assert.Equal((ExitCode.Success, "", "no buckets\n"), await server.EndAsync("kv", "ls"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task Values_are_written_and_read_and_their_history_is_kept(string name)
    {
        using var server = StreamsServer.Start(name);
        await server.RunAsync("kv", "add", "settings", "--history", "10");

        Assert.Equal("revision 1\n", await server.RunAsync("kv", "put", "settings", "lamps.hall", "on"));
        Assert.Equal("""{"bucket":"settings","key":"lamps.attic","revision":2}""" + "\n", await server.RunAsync("kv", "create", "settings", "lamps.attic", "off", "--json"));
        Assert.Equal("revision 3\n", await server.RunAsync("kv", "update", "settings", "lamps.hall", "off", "1"));
        await using (var read = ShellRun.StartWith([0, 0xff], server.With("kv", "update", "settings", "lamps.attic", "--revision", "2")))
        {
            Assert.Equal((ExitCode.Success, "revision 4\n"), (await read.EndAsync(), read.Output));
        }

        Assert.Matches(@"^3 20[^ ]+Z lamps\.hall off\n$", await server.RunAsync("kv", "get", "settings", "lamps.hall"));
        Assert.Equal("on\n", await server.RunAsync("kv", "get", "settings", "lamps.hall", "--revision", "1", "--raw"));
        Assert.Contains("\"operation\":\"put\",\"value_base64\":\"AP8=\"}", await server.RunAsync("kv", "get", "settings", "lamps.attic", "--json"), StringComparison.Ordinal);
        Assert.Equal(["lamps.attic", "lamps.hall"], Squeezed(await server.RunAsync("kv", "ls", "settings", "lamps.*")).Order(StringComparer.Ordinal));

        Assert.Equal("deleted the key lamps.hall of the bucket settings: revision 5\n", await server.RunAsync("kv", "del", "settings", "lamps.hall", "--force"));
        string[] history = Squeezed(await server.RunAsync("kv", "history", "settings", "lamps.hall"));
        Assert.Equal(["1 lamps.hall on", "3 lamps.hall off", "5 (delete) lamps.hall"], history.Select(static line => string.Join(' ', line.Split(' ').Where(static (_, at) => at != 1))));
        Assert.Equal("purged the key lamps.attic of the bucket settings: revision 6\n", await server.RunAsync("kv", "purge", "settings", "lamps.attic", "-f", "--revision", "4"));
        Assert.Contains("\"operation\":\"purge\"}", await server.RunAsync("kv", "history", "settings", "lamps.attic", "--json"), StringComparison.Ordinal);
        Assert.Equal((ExitCode.Success, "", "no keys\n"), await server.EndAsync("kv", "ls", "settings"));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task What_is_not_there_or_was_written_by_others_is_said(string name)
    {
        using var server = StreamsServer.Start(name);
        Assert.Equal("broker: there is no bucket setting, and no other bucket\n", await server.FailAsync(ExitCode.Failure, "kv", "get", "setting", "a"));
        await server.RunAsync("kv", "add", "settings");
        await server.RunAsync("kv", "put", "settings", "a", "1");
        await server.RunAsync("kv", "put", "settings", "a", "2");

        foreach (string[] args in (string[][])[["get", "setting", "a"], ["put", "setting", "a", "b"], ["watch", "setting"], ["ls", "setting"], ["info", "setting"], ["rm", "setting"], ["del", "setting", "a"], ["history", "setting", "a"]])
        {
            Assert.Equal("broker: there is no bucket setting; did you mean settings?\n", await server.FailAsync(ExitCode.Failure, ["kv", .. args]));
        }

        Assert.Equal("broker: the bucket settings has no value of the key b\n", await server.FailAsync(ExitCode.Failure, "kv", "get", "settings", "b"));
        Assert.Equal("broker: the bucket settings has no value of the key b\n", await server.FailAsync(ExitCode.Failure, "kv", "del", "settings", "b", "--force"));
        Assert.Equal("broker: the bucket settings has no revision of the key b\n", await server.FailAsync(ExitCode.Failure, "kv", "history", "settings", "b"));
        Assert.Equal(
            "broker: the key a of the bucket settings exists already: its last revision is 2; broker kv put replaces its value\n",
            await server.FailAsync(ExitCode.Failure, "kv", "create", "settings", "a", "3"));
        Assert.Equal(
            "broker: the key a of the bucket settings does not have the revision 1: its last revision is 2\n",
            await server.FailAsync(ExitCode.Failure, "kv", "update", "settings", "a", "3", "1"));
        Assert.StartsWith("broker: 'a b' is not a valid key", await server.FailAsync(ExitCode.Usage, "kv", "put", "settings", "a b", "3"), StringComparison.Ordinal);
        Assert.StartsWith("broker: the last revision of the key is needed", await server.FailAsync(ExitCode.Usage, "kv", "update", "settings", "a", "3"), StringComparison.Ordinal);
        Assert.StartsWith("broker: a value is missing", await server.FailAsync(ExitCode.Usage, "kv", "put", "settings", "a"), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_watch_shows_the_values_and_then_each_change(string name)
    {
        using var server = StreamsServer.Start(name);
        await server.RunAsync("kv", "add", "settings", "--history", "5");
        await server.RunAsync("kv", "put", "settings", "lamps.hall", "on");
        await server.RunAsync("kv", "put", "settings", "lamps.hall", "off");

        await using var watch = ShellRun.Start(server.With("kv", "watch", "settings", "--raw"));
        await watch.SaidAsync("watching for changes\n");
        await watch.ShownAsync("off\n");
        await server.RunAsync("kv", "put", "settings", "other", "new");
        await watch.ShownAsync("new\n");
        Assert.Equal((ExitCode.Success, "off\nnew\n"), (await watch.StopAsync(), watch.Output));

        Assert.Equal("on\noff\n", (await server.EndAsync("kv", "watch", "settings", "lamps.*", "--raw", "--history", "--count", "2")).Output);
        await using var updates = ShellRun.Start(server.With("kv", "watch", "settings", "--raw", "--updates-only", "--count", "2"));
        await updates.SaidAsync("watching for changes\n");
        await server.RunAsync("kv", "put", "settings", "x", "first");
        await updates.ShownAsync("first\n");
        Assert.Equal((ExitCode.Interrupted, "first\n"), (await updates.StopAsync(), updates.Output));
    }

    [Theory]
    [MemberData(nameof(Newest))]
    public async Task A_key_may_have_a_time_to_live_of_its_own(string name)
    {
        using var server = StreamsServer.Start(name);
        await server.RunAsync("kv", "add", "plain");
        Assert.Contains("key-ttl yes", Squeezed(await server.RunAsync("kv", "add", "sessions", "--key-ttl")));

        Assert.Equal("revision 1\n", await server.RunAsync("kv", "create", "sessions", "a", "x", "--ttl", "1h"));
        Assert.Equal(
            "broker: the bucket plain permits no time to live of a key; it needs broker kv add --key-ttl\n",
            await server.FailAsync(ExitCode.Usage, "kv", "create", "plain", "a", "x", "--ttl", "1h"));
    }

    [Fact]
    public async Task An_older_server_is_said_to_know_no_time_to_live_of_a_key()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);

        Assert.Equal(
            "broker: this server does not know a time to live of a key (--key-ttl, --marker-ttl), which nats-server has since 2.11\n",
            await server.FailAsync(ExitCode.Failure, "kv", "add", "sessions", "--key-ttl"));
    }

    // The lines with one blank between words.
    private static string[] Squeezed(string text)
        => [.. text.TrimEnd('\n').Split('\n').Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries)))];
}
