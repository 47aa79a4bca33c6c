using System.Text.Json;
using Broker.Cli.Tests.Messaging;
using Broker.Client;
using Broker.Server;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Starting;

/// <summary>Tests <c>broker bridge</c> with a separate server.</summary>
public sealed class BridgeCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_route_of_the_command_line_carries_requests_to_the_server()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        await using BrokerConnection other = await MessageCommandTests.ConnectAsync(server);
        other.Subscribe("device.commands", static (in message) => message.Respond("done"u8));
        await other.FlushAsync(TestContext.Current.CancellationToken);
        string? answer = null;

        RealRun run = await RealRun.Of(
            async addresses => answer = await AskAsync(addresses.ZeroMqRoutes.Single().Endpoints.Single()),
            "bridge", "-q", "-s", MessageCommandTests.Url(server), "--route", "pattern: request, name: commands, endpoint: \"tcp://127.0.0.1:*\", subject: device.commands");

        Assert.Equal((ExitCode.Success, "done"), (run.ExitCode, answer));
    }

    [Fact]
    public async Task It_prints_the_permissions_of_each_pattern_and_what_only_bridges_may_use()
    {
        string file = _folder.Write("bridge.conf", """
            zeromq {
              publishers: "bind tcp://127.0.0.1:*", subscribers: "bind tcp://127.0.0.1:*"
              routes: [
                { pattern: request, name: r, subject: orders, endpoint: "tcp://127.0.0.1:*" }
                { pattern: worker, name: w, subject: work, endpoint: "tcp://127.0.0.1:*" }
                { pattern: pushpull, name: p, subject: logs, pushers: "tcp://127.0.0.1:*", pullers: "tcp://127.0.0.1:*" }
                { pattern: router, name: o, endpoint: "tcp://127.0.0.1:*", to_subject: raw.to, from_subject: raw.from }
              ]
            }
            """);

        RealRun run = await RealRun.Of(["bridge", "--permissions", "-c", file]);

        Assert.Equal(
            """
            # In the block of the bridge's user:
            permissions {
              publish   { allow: ["_INBOX.>", "logs._egress", "logs._in.>", "logs._ingress", "logs._out.>", "orders", "raw.to", "zmq.>"] }
              subscribe { allow: ["_INBOX.>", "logs._egress", "logs._in.>", "logs._ingress", "logs._out.>", "raw.from", "work", "zmq.>"] }
            }
            # For all users that are not bridges, in the authorization block or in their own permissions:
            default_permissions {
              publish   { deny: ["logs._egress", "logs._in.>", "logs._ingress", "logs._out.>"] }
              subscribe { deny: ["logs._egress", "logs._in.>", "logs._ingress", "logs._out.>"] }
            }
            # A user who may subscribe to _INBOX.> can read the answers to all requests. Give every other user an inbox
            # prefix of its own.
            """.ReplaceLineEndings("\n"), run.Output.ReplaceLineEndings("\n").Trim());
        Assert.Equal(ExitCode.Success, run.ExitCode);
    }

    [Fact]
    public async Task A_file_says_servers_and_routes_and_the_page_shows_what_each_has_done()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        string file = _folder.Write("bridge.conf", $$"""
            http: "127.0.0.1:-1"
            zeromq {
              url: ["{{MessageCommandTests.Url(server)}}"]
              routes: [
                { pattern: pushpull, name: logs, subject: logs, pushers: "tcp://127.0.0.1:*", pullers: "tcp://127.0.0.1:*" }
                { pattern: worker, name: idle, subject: nobody, endpoint: "tcp://127.0.0.1:*" }
              ]
            }
            """);
        string received = "";
        JsonElement[] routes = [];
        string metrics = "";

        RealRun run = await RealRun.Of(
            async addresses =>
            {
                RouteAddresses logs = addresses.ZeroMqRoutes.Single(route => route.Name == "logs");
                received = await PushAsync(logs.Endpoints[0], logs.Endpoints[1]);
                using var http = new HttpClient();
                string page = addresses.Monitoring.Single() + "/bridgez";
                await Wait.UntilAsync(async () =>
                {
                    using var document = JsonDocument.Parse(await http.GetStringAsync(page, TestContext.Current.CancellationToken));
                    routes = [.. document.RootElement.GetProperty("routes").EnumerateArray().Select(route => route.Clone())];
                    return routes[0].GetProperty("acknowledged").GetInt64() == 1;
                });
                metrics = await http.GetStringAsync(addresses.Monitoring.Single() + "/metrics", TestContext.Current.CancellationToken);
            },
            "bridge", "-q", "-c", file);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
        Assert.Equal("a line", received);
        Assert.Equal(["logs", "idle"], routes.Select(route => route.GetProperty("name").GetString()));
        Assert.Equal((1, 1, 0), (Count("from_zeromq"), Count("to_zeromq"), Count("dropped")));
        DashboardTests.AssertAnswered(metrics);
        Assert.Contains("broker_bridge_handed_over_total{broker_route=\"logs\",broker_pattern=\"pushpull\"} 1\n", metrics, StringComparison.Ordinal);

        long Count(string name) => routes[0].GetProperty(name).GetInt64();
    }

    [Fact]
    public async Task The_page_and_the_metrics_tell_what_was_lost_with_a_server_that_was_killed_and_why_messages_were_refused()
    {
        using var server = NatsServer.StartAt(FreePort.Next());
        string file = _folder.Write("bridge.conf", $$"""
            http: "127.0.0.1:-1"
            zeromq {
              url: "{{server.Url}}"
              routes: [ { pattern: pubsub, name: events, publishers: "tcp://127.0.0.1:*", max_topic_bytes: 10 } ]
            }
            """);
        byte[] body = new byte[500_000];
        string metrics = "";

        RealRun run = await RealRun.Of(
            async addresses =>
            {
                using var http = new HttpClient();
                await using var publisher = new PublisherSocket();
                publisher.Connect(addresses.ZeroMqPublishers.Single());
                await UntilAsync(page => Connection(page, "connected") == 1);

                // A PUB socket drops messages until it has a subscription.
                await UntilAsync(
                    page => page.GetProperty("routes")[0].GetProperty("refused_because").TryGetProperty("TopicTooLong", out _),
                    () => publisher.TrySend("eleven bytes"u8, "x"u8));

                // More bytes than the kernel buffers for a process that reads nothing.
                server.Signal("STOP");
                await UntilAsync(page => Connection(page, "pending_bytes") > 16_000_000, () => publisher.TrySend("a"u8, body));
                server.Kill();
                await UntilAsync(page => Connection(page, "lost") > 0 && Connection(page, "unconfirmed") > 0 && Connection(page, "connected") == 0);
                server.Restart();
                await UntilAsync(page => Connection(page, "reconnects") == 1);
                metrics = await http.GetStringAsync(addresses.Monitoring.Single() + "/metrics", TestContext.Current.CancellationToken);

                Task UntilAsync(Func<JsonElement, bool> holds, Action? eachTime = null)
                {
                    string page = "";
                    return Wait.UntilAsync(
                        async () =>
                        {
                            eachTime?.Invoke();
                            page = await http.GetStringAsync(addresses.Monitoring.Single() + "/bridgez", TestContext.Current.CancellationToken);
                            using var document = JsonDocument.Parse(page);
                            return holds(document.RootElement);
                        },
                        () => page);
                }
            },
            "bridge", "-q", "-c", file);

        Assert.True(run.ExitCode == ExitCode.Success, run.Said);
        Assert.Matches("\nbroker_bridge_lost_total [1-9]", metrics);
        Assert.Matches("\nbroker_bridge_unconfirmed_total [1-9]", metrics);
        Assert.Contains("\nbroker_bridge_reconnects_total 1\n", metrics, StringComparison.Ordinal);
        Assert.Contains("\nbroker_bridge_connected 1\n", metrics, StringComparison.Ordinal);
        Assert.Matches("\nbroker_bridge_refused_because_total\\{broker_route=\"events\",broker_pattern=\"pubsub\",broker_reason=\"TopicTooLong\"\\} [1-9]", metrics);

        static long Connection(JsonElement page, string name) => page.GetProperty("connection").GetProperty(name).GetInt64();
    }

    [Fact]
    public async Task It_waits_for_a_server_that_is_not_there()
    {
        RealRun run = await RealRun.Of(
            "bridge", "-q", "-s", "nats://127.0.0.1:1", "--route", "pattern: pushpull, subject: a, pushers: \"tcp://127.0.0.1:*\", stop_timeout: \"10ms\"");

        Assert.True(run is { ExitCode: ExitCode.Success, Addresses: not null }, run.Said);
    }

    [Theory]
    [InlineData("port: 4222", "unknown key \"port\" at ")]
    [InlineData("zeromq { user: u }", "\"user\" must be the name of one of the users")]
    [InlineData("zeromq { routes: [ { pattern: worker, endpoint: \"tcp://127.0.0.1:*\" } ] }", "exactly one of \"subject\" and \"prefix\" must be set")]
    [InlineData("zeromq { routes: [ { pattern: request, endpoint: \"tcp://127.0.0.1:*\", subject: a, prefix: b } ] }", "exactly one of \"subject\" and \"prefix\" must be set")]
    [InlineData("zeromq { routes: [ { pattern: pushpull, pushers: \"tcp://127.0.0.1:*\" } ] }", "\"subject\" is missing")]
    [InlineData("zeromq { routes: [ { pattern: pair, endpoint: \"tcp://127.0.0.1:*\", from_subject: a } ] }", "\"to_subject\" is missing")]
    [InlineData("zeromq { routes: [ { pattern: pair, endpoint: \"tcp://127.0.0.1:*\", to_subject: a } ] }", "\"from_subject\" is missing")]
    [InlineData("zeromq { routes: [ { pattern: pushpull, pushers: \"tcp://127.0.0.1:*\", subject: a, stream { } } ] }", "\"name\" is missing")]
    [InlineData(
        "zeromq { routes: [ { pattern: pushpull, pushers: \"tcp://127.0.0.1:*\", subject: a, peer_timeout: \"1s\" } ] }",
        "\"peer_timeout\" must be a duration of whole seconds from \"2s\" to \"24h\"")]
    [InlineData(
        "zeromq { routes: [ { pattern: pushpull, pushers: \"tcp://127.0.0.1:*\", subject: a, stream { name: s, ack_wait: \"3.5s\" } } ] }",
        "\"ack_wait\" must be a duration of whole seconds from \"3s\" to \"24h\"")]
    public async Task The_test_flag_says_what_is_wrong_with_a_file_and_where(string text, string expected)
    {
        string file = _folder.Write("bridge.conf", text);

        RealRun run = await RealRun.Of("bridge", "-t", "-c", file);

        Assert.Equal((ExitCode.Failure, (ServeAddresses?)null), (run.ExitCode, run.Addresses));
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
        Assert.Contains($" at {file}:1:", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("pattern: x", " at --route:1:10")]
    [InlineData("pattern: request, endpoint: \"tcp://127.0.0.1:*\"", " at --route:1:1")]
    [InlineData("pattern: request, include \"a.conf\"", "include is not allowed here")]
    [InlineData("{", "at --route:1:1")]
    public async Task A_route_of_the_command_line_that_is_wrong_is_told_with_its_place(string route, string expected)
    {
        RealRun run = await RealRun.Of("bridge", "--route", route);

        Assert.Equal((ExitCode.Failure, (ServeAddresses?)null), (run.ExitCode, run.Addresses));
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_user_without_a_password_is_a_wrong_command_line()
        => Assert.Equal(ExitCode.Usage, (await RealRun.Of("bridge", "--user", "u")).ExitCode);

    private static async Task<string> AskAsync(string endpoint)
    {
        await using var socket = new RequestSocket();
        socket.Connect(endpoint);
        await socket.SendAsync("go", TestContext.Current.CancellationToken);
        Assert.True(socket.TryReceiveString(out string? answer, Wait.Limit));
        return answer;
    }

    private static async Task<string> PushAsync(string pushers, string pullers)
    {
        await using var pull = new PullSocket();
        await using var push = new PushSocket();
        pull.Connect(pullers);
        push.Connect(pushers);
        await push.SendAsync("a line", TestContext.Current.CancellationToken);
        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        return text;
    }
}
