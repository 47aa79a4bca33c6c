using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Tests.Starting;
using Broker.Client;
using Broker.Client.Streams;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests <c>broker serve -js</c>.</summary>
public sealed class StreamsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Store => Path.Combine(_folder.Path, "js");

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task What_was_acknowledged_is_there_after_a_stop_and_a_start()
    {
        string[] flags = ["serve", "-q", "-p", "-1", "-js", "-sd", Store];
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using Programs programs = await Programs.ConnectAsync(addresses.Nats[0]);
                await programs.Streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>"), Ended);
                for (ulong number = 1; number <= 100; number++)
                {
                    PublishAck ack = await programs.Streams.PublishAsync("orders.new", Encoding.UTF8.GetBytes($"{number}"), cancellationToken: Ended);
                    Assert.Equal(number, ack.Sequence);
                }
            },
            flags);

        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using Programs programs = await Programs.ConnectAsync(addresses.Nats[0]);
                Assert.Equal(100ul, (await programs.Streams.GetStreamAsync("ORDERS", cancellationToken: Ended)).State.Messages);
                PublishAck ack = await programs.Streams.PublishAsync("orders.new", "x"u8.ToArray(), cancellationToken: Ended);
                Assert.Equal(101ul, ack.Sequence);
            },
            flags);
    }

    [Fact]
    public async Task The_commands_for_streams_work_with_it()
        => await RealRun.WhileServingAsync(
            async addresses =>
            {
                string url = addresses.Nats[0];
                await RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>", "-s", url);
                await RunAsync("pub", "orders.new", "first", "-s", url);
                await RunAsync("consumer", "add", "ORDERS", "billing", "-s", url);
                await RunAsync("stream", "info", "ORDERS", "-s", url);
                await RunAsync("stream", "view", "ORDERS", "-s", url);
                await using Programs programs = await Programs.ConnectAsync(url);
                StreamInfo stream = await programs.Streams.GetStreamAsync("ORDERS", cancellationToken: Ended);
                Assert.Equal((1ul, 1), (stream.State.Messages, stream.State.Consumers));
            },
            "serve", "-q", "-p", "-1", "-js", "-sd", Store);

    [Fact]
    public async Task Only_the_accounts_that_the_file_names_have_streams_each_its_own()
    {
        string file = _folder.Write("b.conf", $$"""
            port: -1
            jetstream { store_dir: "{{Store.Replace('\\', '/')}}", domain: hub }
            accounts {
              A { jetstream: enabled, users: [ { user: a, password: p } ] }
              B { jetstream: enabled, users: [ { user: b, password: p } ] }
              C { users: [ { user: c, password: p } ] }
            }
            """);
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using Programs a = await Programs.ConnectAsync(addresses.Nats[0], "a");
                await using Programs b = await Programs.ConnectAsync(addresses.Nats[0], "b");
                await using Programs c = await Programs.ConnectAsync(addresses.Nats[0], "c");
                Assert.Equal((true, "hub"), (a.Connection.ServerInfo!.JetStream, a.Connection.ServerInfo.Domain));
                await a.Streams.CreateStreamAsync(new StreamConfig("S", "s"), Ended);
                await b.Streams.CreateStreamAsync(new StreamConfig("S", "s"), Ended);
                await a.Streams.PublishAsync("s", "1"u8.ToArray(), cancellationToken: Ended);

                Assert.Equal(1ul, (await a.Streams.GetStreamAsync("S", cancellationToken: Ended)).State.Messages);
                Assert.Equal(0ul, (await b.Streams.GetStreamAsync("S", cancellationToken: Ended)).State.Messages);
                await Assert.ThrowsAnyAsync<Exception>(() => c.Streams.GetAccountAsync(Ended));
            },
            "serve", "-q", "-c", file);
    }

    [Fact]
    public async Task The_pages_show_the_streams()
        => await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using Programs programs = await Programs.ConnectAsync(addresses.Nats[0]);
                await programs.Streams.CreateStreamAsync(new StreamConfig("ORDERS", "orders.>"), Ended);
                await programs.Streams.CreateConsumerAsync("ORDERS", new ConsumerConfig("billing"), Ended);
                await programs.Streams.PublishAsync("orders.new", "1"u8.ToArray(), cancellationToken: Ended);
                using var http = new HttpClient { BaseAddress = new Uri(addresses.Monitoring[0]) };

                JsonElement page = await PageAsync("jsz?consumers=1&config=1");
                Assert.Equal((1, 1, 1), (Number(page, "streams"), Number(page, "consumers"), Number(page, "messages")));
                Assert.Equal(Path.GetFullPath(Store), page.GetProperty("config").GetProperty("store_dir").GetString());
                Assert.True(page.GetProperty("config").GetProperty("sync_always").GetBoolean());
                JsonElement stream = page.GetProperty("account_details")[0].GetProperty("stream_detail")[0];
                Assert.Equal("ORDERS", stream.GetProperty("config").GetProperty("name").GetString());
                Assert.Equal("billing", stream.GetProperty("consumer_detail")[0].GetProperty("name").GetString());
                Assert.Equal(1, Number((await PageAsync("varz")).GetProperty("jetstream").GetProperty("stats"), "accounts"));
                Assert.True((await PageAsync("accountz?acc=$G")).GetProperty("account_detail").GetProperty("jetstream_enabled").GetBoolean());
                Assert.Equal("{\"status\":\"ok\"}", await http.GetStringAsync(new Uri("healthz?js-enabled-only=true", UriKind.Relative), Ended));
                using HttpResponseMessage wrong = await http.GetAsync(new Uri("jsz?streams=maybe", UriKind.Relative), Ended);
                Assert.Equal(HttpStatusCode.BadRequest, wrong.StatusCode);

                async Task<JsonElement> PageAsync(string path)
                    => JsonDocument.Parse(await http.GetStringAsync(new Uri(path, UriKind.Relative), Ended)).RootElement;
            },
            "serve", "-q", "-p", "-1", "-m", "-1", "-js", "-sd", Store);

    [Fact]
    public async Task Messages_beyond_the_limits_of_the_server_are_refused_and_said_so()
    {
        string file = _folder.Write("b.conf", $$"""
            port: -1
            jetstream { store_dir: "{{Store.Replace('\\', '/')}}", max_file: 2KB, max_mem: 1KB }
            """);
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using Programs programs = await Programs.ConnectAsync(addresses.Nats[0]);
                await programs.Streams.CreateStreamAsync(new StreamConfig("DISK", "disk"), Ended);
                await programs.Streams.CreateStreamAsync(new StreamConfig("MEMORY", "memory") { Storage = StorageType.Memory }, Ended);
                await programs.Streams.PublishAsync("disk", new byte[1500], cancellationToken: Ended);

                StreamException disk = await Assert.ThrowsAsync<StreamException>(
                    () => programs.Streams.PublishAsync("disk", new byte[1000], cancellationToken: Ended).AsTask());
                StreamException memory = await Assert.ThrowsAsync<StreamException>(
                    () => programs.Streams.PublishAsync("memory", new byte[1100], cancellationToken: Ended).AsTask());
                Assert.Contains("max_file", disk.Message, StringComparison.Ordinal);
                Assert.Contains("max_mem", memory.Message, StringComparison.Ordinal);

                // A deleted message makes room again.
                await programs.Streams.PurgeStreamAsync("DISK", cancellationToken: Ended);
                await programs.Streams.PublishAsync("disk", new byte[1000], cancellationToken: Ended);
            },
            "serve", "-q", "-c", file);
    }

    [Fact]
    public async Task What_a_PUSH_socket_handed_over_waits_on_the_disk_for_a_PULL_socket_also_over_a_restart()
    {
        string ends = $"ipc://{Path.Combine(_folder.Path, "push")}";
        string file = _folder.Write("b.conf", $$"""
            port: -1
            jetstream { store_dir: "{{Store.Replace('\\', '/')}}" }
            zeromq { routes: [ { pattern: pushpull, subject: logs, pushers: "{{ends}}", pullers: "{{ends}}2", stream { name: LOGS } } ] }
            """);
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                using var push = new PushSocket();
                push.Connect(ends);
                for (int number = 0; number < 100; number++)
                {
                    await Wait.For(push.SendAsync($"{number}", Ended).AsTask());
                }

                await using Programs programs = await Programs.ConnectAsync(addresses.Nats[0]);
                await Wait.UntilAsync(async () => (await programs.Streams.FindStreamAsync("LOGS", Ended))?.State.Messages == 100);
            },
            "serve", "-q", "-c", file);

        await RealRun.WhileServingAsync(
            async _ =>
            {
                using var pull = new PullSocket();
                pull.Connect(ends + "2");
                for (int number = 0; number < 100; number++)
                {
                    byte[][] frames = await Wait.For(pull.ReceiveFramesAsync(Ended).AsTask());
                    Assert.Equal($"{number}", Encoding.UTF8.GetString(frames[0]));
                }
            },
            "serve", "-q", "-c", file);
    }

    [Fact]
    public async Task A_directory_that_another_broker_uses_is_refused_in_one_line()
        => await RealRun.WhileServingAsync(
            async _ => await RefusedAsync("is in use by another process"),
            "serve", "-q", "-p", "-1", "-js", "-sd", Store);

    [Fact]
    public async Task A_directory_of_a_nats_server_is_refused_and_not_touched()
    {
        Directory.CreateDirectory(Path.Combine(Store, "jetstream", "$G"));

        await RefusedAsync("contains 'jetstream' of a nats-server");

        Assert.Equal(["jetstream"], Directory.GetFileSystemEntries(Store).Select(Path.GetFileName));
    }

    [Fact]
    public async Task A_file_in_place_of_the_directory_is_refused_and_not_touched()
    {
        _folder.Write("js", "letter");

        await RefusedAsync("it is a file");

        Assert.Equal("letter", await File.ReadAllTextAsync(Store, Ended));
    }

    [Fact]
    public async Task A_store_of_another_format_is_refused_and_not_touched()
    {
        await RealRun.WhileServingAsync(static _ => Task.CompletedTask, "serve", "-q", "-p", "-1", "-js", "-sd", Store);
        string folder = Path.Combine(Store, "global");
        foreach (string file in Directory.GetFiles(folder))
        {
            byte[] bytes = await File.ReadAllBytesAsync(file, Ended);
            if (bytes.Length is > 0 and < 100)
            {
                bytes.AsSpan().Fill(0xFF);
                await File.WriteAllBytesAsync(file, bytes, Ended);
            }
        }

        (string, long)[] before = Files();

        await RefusedAsync("cannot start the streams");

        Assert.Equal(before, Files());

        (string, long)[] Files() => [.. Directory.GetFiles(folder).Order(StringComparer.Ordinal).Select(static file => (file, new FileInfo(file).Length))];
    }

    [Theory]
    [InlineData("jetstream { store_dir: a }", "jetstream { store_dir: b }", "jetstream")]
    [InlineData("jetstream { store_dir: a }", "jetstream { store_dir: a, max_mem: 1GB }", "jetstream")]
    [InlineData("jetstream: true", "jetstream: false", "jetstream")]
    [InlineData("jetstream: true\nstore_dir: a", "jetstream: true\nstore_dir: b", "store_dir")]
    [InlineData("jetstream: true\naccounts { A { jetstream: true } }", "jetstream: true\naccounts { A { } }", "jetstream of accounts")]
    [InlineData("jetstream: true\naccounts { A { jetstream: true } }", "jetstream: true\naccounts { A { jetstream { max_streams: 1 } } }", "jetstream of accounts")]
    public void A_reload_refuses_a_change_by_name(string before, string after, string name)
        => Assert.Contains(name, FixedSettings.Changed(Bind(before), Bind(after)));

    [Fact]
    public void A_reload_accepts_other_changes_beside_streams()
        => Assert.Empty(FixedSettings.Changed(Bind("jetstream { store_dir: a }"), Bind("jetstream { store_dir: a }\ndebug: true")));

    private static ServeSettings Bind(string text) => ServeConfig.Bind(Configuration.Parsing.Parse(text), new ServeSettings());

    private static int Number(JsonElement page, string name) => page.GetProperty(name).GetInt32();

    private static async Task RunAsync(params string[] args)
    {
        RealRun run = await RealRun.Of(args);
        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
    }

    private async Task RefusedAsync(string why)
    {
        RealRun run = await RealRun.Of("serve", "-q", "-p", "-1", "-js", "-sd", Store);

        Assert.Equal((ExitCode.Failure, null), (run.ExitCode, run.Addresses));
        string line = Assert.Single(run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries), static line => line.StartsWith("broker: ", StringComparison.Ordinal));
        Assert.Contains(why, line, StringComparison.Ordinal);
    }

    /// <summary>A client and its streams.</summary>
    private sealed class Programs(BrokerConnection connection) : IAsyncDisposable
    {
        internal BrokerConnection Connection => connection;

        internal StreamsClient Streams { get; } = connection.Streams();

        internal static async Task<Programs> ConnectAsync(string url, string? user = null)
            => new(await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], User = user, Password = user is null ? null : "p" }, Ended));

        public async ValueTask DisposeAsync()
        {
            Streams.Dispose();
            await connection.DisposeAsync();
        }
    }
}
