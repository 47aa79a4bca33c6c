using System.Text;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Broker.ZeroMq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Broker.Hosting.Tests;

/// <summary>The routes of a bridge in the configuration of a host.</summary>
public sealed partial class HostedRoutesTests
{
    private const string Routes = "ZeroMqBridge:Routes:";

    // Free ports.
    private static readonly (string, string)[] Logs =
    [
        (Routes + "logs:Pattern", "pushpull"), (Routes + "logs:Subject", "logs"),
        (Routes + "logs:Pushers", "tcp://127.0.0.1:*"), (Routes + "logs:Pullers:0", "bind tcp://127.0.0.1:*"),
    ];

    private static readonly (string, string)[] Devices =
    [
        (Routes + "devices:Pattern", "worker"), (Routes + "devices:Subject", "a"), (Routes + "devices:Endpoint", "tcp://127.0.0.1:*"),
    ];

    /// <summary>The patterns, and the titles of their tables in docs/configuration.md.</summary>
    public static TheoryData<string, string> Patterns => new()
    {
        { "pubsub", "#### pattern: pubsub" },
        { "request", "#### pattern: request" },
        { "worker", "#### pattern: worker" },
        { "pushpull", "#### pattern: pushpull" },
        { "dealer", "#### pattern: router, dealer or pair" },
    };

    [Fact]
    public async Task Programs_meet_by_routes_of_the_configuration()
    {
        await using TestHost host = await StartAsync(Logs);
        await using var push = new PushSocket();
        await using var pull = new PullSocket();
        PushPullRouteSnapshot route = Route<PushPullRouteSnapshot>(host, "logs");
        pull.Connect(route.PullerEndpoints[0]);
        push.Connect(route.PusherEndpoints[0]);
        await push.SendAsync("one", TestContext.Current.CancellationToken);

        Assert.Equal("one", Receive(pull));
    }

    [Theory]
    [InlineData("true", 2)]
    [InlineData("false", 0)]
    public async Task Other_clients_of_the_host_do_not_reach_the_internal_subjects_of_a_pipeline_unless_its_route_lets_them(string reserve, int refused)
    {
        await using TestHost host = await StartAsync([.. Logs, (Routes + "logs:ReserveSubjects", reserve)]);
        int errors = 0;
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(
            new ClientOptions { Dialer = host.Services.GetRequiredService<BrokerServer>().CreateDialer(), OnServerError = (_, _) => errors++ },
            TestContext.Current.CancellationToken);
        client.PublishWithStatus("logs._egress"u8, "x"u8);
        client.Subscribe("logs._out.*", static (in MessageView _) => { });
        await client.FlushAsync(TestContext.Current.CancellationToken);

        Assert.Equal(refused, errors);
    }

    [Fact]
    public async Task Routes_come_go_and_change_with_the_configuration_while_another_goes_on()
    {
        await using TestHost host = await StartAsync([.. Logs, .. Devices]);
        await using var push = new PushSocket();
        await using var pull = new PullSocket();
        pull.Connect(Route<PushPullRouteSnapshot>(host, "logs").PullerEndpoints[0]);
        push.Connect(Route<PushPullRouteSnapshot>(host, "logs").PusherEndpoints[0]);
        await push.SendAsync("one", TestContext.Current.CancellationToken);
        Assert.Equal("one", Receive(pull));
        string before = Route<WorkerRouteSnapshot>(host, "devices").Endpoints[0];

        host.Change(
            (Routes + "devices:Subject", "b"),
            (Routes + "clients:Pattern", "request"), (Routes + "clients:Subject", "b"), (Routes + "clients:Endpoint", "tcp://127.0.0.1:*"));
        await Wait.UntilAsync(() => host.Log.Has("Broker.Hosting[18] Information: The routes of the ZeroMQ bridge were reloaded: 2 started, 0 ended"), () => host.Log.Text);
        Assert.NotEqual(before, Route<WorkerRouteSnapshot>(host, "devices").Endpoints[0]);
        Assert.NotNull(Route<RequestRouteSnapshot>(host, "clients"));

        // The route keeps its two programs and its counters.
        await push.SendAsync("two", TestContext.Current.CancellationToken);
        Assert.Equal("two", Receive(pull));
        await Wait.UntilAsync(() => Route<PushPullRouteSnapshot>(host, "logs") is { Delivered: 2, Peers: 2 }, () => $"{Route<PushPullRouteSnapshot>(host, "logs")}");

        host.Change((Routes + "devices", null!), (Routes + "devices:Pattern", null!), (Routes + "devices:Subject", null!), (Routes + "devices:Endpoint", null!));
        await Wait.UntilAsync(() => host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()["devices"] is null || host.Log.Has("[19]"), () => host.Log.Text);
        Assert.DoesNotContain("[19]", host.Log.Text, StringComparison.Ordinal);
        await push.SendAsync("three", TestContext.Current.CancellationToken);
        Assert.Equal("three", Receive(pull));
    }

    [Fact]
    public async Task A_route_that_cannot_be_had_as_it_is_wanted_goes_on_as_it_was()
    {
        await using var taken = new PullSocket();
        string endpoint = taken.Bind("tcp://127.0.0.1:*");
        await using TestHost host = await StartAsync(Devices);

        host.Change((Routes + "devices:Endpoint", endpoint));
        await Wait.UntilAsync(() => host.Log.Has("Broker.Hosting[19] Error: "), () => host.Log.Text);
        Assert.True(host.Log.Has("ZeroMqBridge:Routes:devices: "), host.Log.Text);
        Assert.NotNull(Route<WorkerRouteSnapshot>(host, "devices"));

        host.Change((Routes + "devices:Endpoint", "tcp://127.0.0.1:*"), (Routes + "devices:MaxPeers", "none"));
        await Wait.UntilAsync(() => host.Log.Has("ZeroMqBridge:Routes:devices:MaxPeers: \"none\" is not a whole number from 1 to 1000000."), () => host.Log.Text);
        Assert.NotNull(Route<WorkerRouteSnapshot>(host, "devices"));
    }

    [Fact]
    public async Task Code_adds_security_to_a_route_of_the_configuration_at_each_reload_and_its_own_route_is_left_alone()
    {
        static ValueTask<ZeroMqAdmission> AdmitAsync(ZeroMqCredentials shown)
            => ValueTask.FromResult(shown.Username == "ada" ? ZeroMqAdmission.Admit("ada") : ZeroMqAdmission.Refuse("unknown"));
        await using TestHost host = await TestHost.StartAsync(
            static services => services.AddBroker(static settings => settings.InProcessOnly = true).AddZeroMqBridge(static (_, options) => options with
            {
                Routes =
                [
                    .. options.Routes.Select(route => route with { Security = ZeroMqSecurity.PlainServer, Authenticate = AdmitAsync }),
                    new WorkerRouteOptions { Name = "own", Subject = "own", Endpoints = [new BridgeEndpoint(true, "tcp://127.0.0.1:*")] },
                ],
            }),
            Devices);
        string own = Route<WorkerRouteSnapshot>(host, "own").Endpoints[0];
        Assert.Equal("PLAIN server", Route<WorkerRouteSnapshot>(host, "devices").Security);

        host.Change((Routes + "devices:Subject", "b"));
        await Wait.UntilAsync(() => host.Log.Has("1 started, 0 ended"), () => host.Log.Text);
        Assert.Equal("PLAIN server", Route<WorkerRouteSnapshot>(host, "devices").Security);
        Assert.Equal(own, Route<WorkerRouteSnapshot>(host, "own").Endpoints[0]);
    }

    [Theory]
    [InlineData("Pattern", "pubsup", "ZeroMqBridge:Routes:devices:Pattern: \"pubsup\" is not one of pubsub, request, worker, pushpull, router, dealer, pair.")]
    [InlineData("Window", "5", "ZeroMqBridge:Routes:devices:Window: a route of the pattern worker has no such key; it has ")]
    [InlineData("OnWorkerLoss", "panic", "ZeroMqBridge:Routes:devices:OnWorkerLoss: \"panic\" is not one of Reply, Silence.")]
    [InlineData("TimeToLive", "soon", "ZeroMqBridge:Routes:devices:TimeToLive: \"soon\" is not a duration such as \"30s\" or \"00:00:30\".")]
    [InlineData("Shadow", "maybe", "ZeroMqBridge:Routes:devices:Shadow: \"maybe\" is not true or false.")]
    [InlineData("Endpoint", "dial tcp://127.0.0.1:1", "ZeroMqBridge:Routes:devices:Endpoint: \"dial tcp://127.0.0.1:1\" is not an endpoint such as ")]
    [InlineData("Endpoint", "tcp://nonsense", "ZeroMqBridge:Routes:devices: ")]
    [InlineData("Endpoint", null, "ZeroMqBridge:Routes:devices: the route needs an endpoint for ZeroMQ programs.")]
    [InlineData("Subject", null, "ZeroMqBridge:Routes:devices:Subject: set either it or Prefix, and not both.")]
    [InlineData("Subject", "a b", "ZeroMqBridge:Routes:devices: 'a b' is not a valid subject to subscribe to.")]
    public async Task A_start_says_what_is_wrong_and_at_which_key(string key, string? value, string expected)
    {
        (string, string)[] settings = [.. Devices.Where(setting => setting.Item1 != $"{Routes}devices:{key}"), .. value is null ? (ReadOnlySpan<(string, string)>)[] : [($"{Routes}devices:{key}", value)]];

        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(settings));

        Assert.StartsWith(expected, Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Client:Servers:0", "nonsense://x y", true)]
    [InlineData("Client:Servers:0", "nonsense://x y", false)]
    [InlineData("Client:ConnectTimeout", "-00:00:01", true)]
    [InlineData("Client:FirstConnect", "Retry", true)]
    public async Task A_start_says_what_is_wrong_with_the_client_and_at_which_key(string key, string value, bool hasRoutes)
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(
            () => StartAsync([.. hasRoutes ? Devices : [], ($"ZeroMqBridge:{key}", value)]));

        Assert.StartsWith($"ZeroMqBridge:{key.Replace(":0", "", StringComparison.Ordinal)}: ", Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_bridge_waits_for_its_server_or_fails_the_start_as_FirstConnect_says()
    {
        (string, string)[] absent = [.. Devices, ("ZeroMqBridge:Client:Servers:0", $"nats://127.0.0.1:{FreePort.Next()}")];

        await Assert.ThrowsAnyAsync<ClientException>(() => StartAsync([.. absent, ("ZeroMqBridge:Client:FirstConnect", "Fail")]));
        foreach ((string, string)[] waits in ((string, string)[][])[absent, [.. absent, ("ZeroMqBridge:Client:FirstConnect", "Background")]])
        {
            await using TestHost host = await StartAsync(waits);
            Assert.Null(host.Services.GetRequiredService<ZeroMqBridge>().Snapshot().Server);
        }
    }

    [Fact]
    public async Task What_code_says_of_the_bridge_in_several_places_is_all_heeded_and_there_is_one_bridge()
    {
        static WorkerRouteOptions Worker(string name) => new() { Name = name, Subject = name, Endpoints = [new(Bind: true, "tcp://127.0.0.1:*")] };

        await using TestHost host = await TestHost.StartAsync(static services => services
            .AddBroker(static settings => settings.InProcessOnly = true)
            .AddZeroMqBridge(static (_, options) => options with { Routes = [.. options.Routes, Worker("first")] })
            .AddZeroMqBridge()
            .AddZeroMqBridge(static (_, options) => options with { Routes = [.. options.Routes, Worker("second")] }));

        Assert.Equal(["first", "second"], host.Services.GetRequiredService<ZeroMqBridge>().Snapshot().Routes.Select(static route => route.Name));
        Assert.Single(host.Services.GetServices<ZeroMqBridge>());
    }

    [Fact]
    public async Task A_start_says_all_that_is_wrong()
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(
            (Routes + "a:Pattern", "pair"), (Routes + "a:MaxFrames", "0"), (Routes + "b:Subject", "b"), ("ZeroMqBridge:Rutes", "x")));

        Assert.Equal(
            [
                "ZeroMqBridge:Routes:a:FromSubject: ", "ZeroMqBridge:Routes:a:MaxFrames: ", "ZeroMqBridge:Routes:a:ToSubject: ",
                "ZeroMqBridge:Routes:b:Pattern: ", "ZeroMqBridge:Rutes: ",
            ],
            refused.Failures.Select(failure => failure[..(failure.IndexOf(": ", StringComparison.Ordinal) + 2)]).Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Patterns))]
    public void The_keys_of_a_pattern_are_those_of_the_configuration_file(string pattern, string title)
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "configuration.md"));
        string table = page[page.IndexOf(title, StringComparison.Ordinal)..];
        IEnumerable<string> rows = table.Split('\n').SkipWhile(line => !line.StartsWith("| key |", StringComparison.Ordinal)).Skip(2).TakeWhile(line => line.StartsWith('|'));
        string[] documented = [.. rows.SelectMany(row => Code().Matches(row.Split('|')[1]).Select(match => match.Groups[1].Value.Replace("_", "", StringComparison.Ordinal)))];
        var section = new RouteSection(new ConfigurationBuilder().Build().GetSection("route"), []);
        RoutePatterns.Find(pattern)!(section);

        Assert.Equal(documented.Order(StringComparer.OrdinalIgnoreCase), section.Known.Order(StringComparer.OrdinalIgnoreCase), StringComparer.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task The_routes_as_they_are_printed_start_a_bridge()
    {
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "hosting.md"));
        string json = Json().Match(page[page.IndexOf("## Routes of a bridge", StringComparison.Ordinal)..]).Groups[1].Value;
        json = Address().Replace(json, "127.0.0.1:*").Replace("nats://hub.example:4222", $"nats://127.0.0.1:{FreePort.Next()}", StringComparison.Ordinal)
            .Replace("collector.example:5559", $"127.0.0.1:{FreePort.Next()}", StringComparison.Ordinal);
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        (string, string)[] settings =
        [
            .. new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable().Where(s => s.Value is not null).Select(s => (s.Key, s.Value!)),
        ];
        await using TestHost host = await StartAsync(settings);

        Assert.Single(Route<PubSubRouteSnapshot>(host, "events").PublisherEndpoints);
        Assert.Single(Route<RequestRouteSnapshot>(host, "commands").Endpoints);
        Assert.Single(Route<PushPullRouteSnapshot>(host, "logs").PusherEndpoints);
    }

    private static Task<TestHost> StartAsync(params (string Key, string Value)[] settings) => TestHost.StartAsync(
        static services => services.AddBroker(static settings => settings.InProcessOnly = true).AddZeroMqBridge(), settings);

    private static T Route<T>(TestHost host, string name)
        where T : RouteSnapshot
        => Assert.IsType<T>(host.Services.GetRequiredService<ZeroMqBridge>().Snapshot()[name]);

    private static string Receive(PullSocket pull)
    {
        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        return text;
    }

    [GeneratedRegex("`([a-z_]+)`")]
    private static partial Regex Code();

    [GeneratedRegex("```json\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Json();

    [GeneratedRegex(@"(127\.0\.0\.1|\*):\d+")]
    private static partial Regex Address();
}
