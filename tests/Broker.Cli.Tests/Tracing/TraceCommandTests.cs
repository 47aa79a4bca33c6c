using System.Text.Json;
using System.Text.RegularExpressions;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Client;

namespace Broker.Cli.Tests.Tracing;

/// <summary>Tests <c>broker trace</c> with files, with this broker and with nats-server.</summary>
public sealed class TraceCommandTests : IDisposable
{
    private const string Accounts = """
        accounts {
          SHOP {
            users: [
              { user: ada, password: a, permissions { publish: "orders.>", subscribe { allow: ">", deny: "orders.secret.>" } } }
              { user: eve, password: e, permissions { publish { deny: "orders.>" }, subscribe: "news.>" } }
            ]
            mappings { "old.*": [ { destination: "orders.{{wildcard(1)}}", weight: 80 }, { destination: "orders.v1.{{wildcard(1)}}", weight: 15 } ] }
            exports: [ { stream: "orders.>" } ]
            imports: [ { service: { account: BANK, subject: "pay.in" }, to: "orders.pay" } ]
          }
          BANK {
            users: [ { user: bob, password: b } ]
            exports: [ { service: "pay.*" } ]
            imports: [ { stream: { account: SHOP, subject: "orders.>" }, prefix: shop } ]
          }
        }
        """;

    private readonly TemporaryFolder _folder = new();
    private readonly JwtSite _site = new();

    public static TheoryData<string> Examples =>
    [
        .. new[] { CommandRun.Of("trace", "--help").GetAwaiter().GetResult().Output, DocumentedText.Read("docs/command.md").Text }
            .SelectMany(static text => text.Split('\n')).Select(static line => line.Split('#')[0].Trim()).Where(IsOfTrace).Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfTrace(string line)
        => line.StartsWith("broker trace ", StringComparison.Ordinal) && !line.Contains('[', StringComparison.Ordinal);

    [Fact]
    public async Task A_file_tells_who_may_receive_and_which_permission_forbids_it()
    {
        string file = _folder.Write("broker.conf", Accounts);

        (int exitCode, string output, _) = await ShellRun.OfAsync("trace", "orders.new", "-c", file, "--user", "ada");

        Assert.Equal(ExitCode.Success, exitCode);
        Assert.Equal(
            [
                "orders.new, published by user ada of account SHOP",
                "- account BANK imports the stream orders.> of account SHOP: it gets the message as shop.orders.new",
                "receiver account subject receives why",
                "user ada SHOP orders.new may may subscribe",
                "user eve SHOP orders.new no subscribe.allow has only news.>",
                "user bob BANK shop.orders.new may may subscribe",
            ],
            Rows(output));

        (_, output, _) = await ShellRun.OfAsync("trace", "orders.secret.plan", "-c", file, "--account", "SHOP");

        Assert.Contains("user ada SHOP orders.secret.plan no subscribe.deny has orders.secret.>", Rows(output));
    }

    [Theory]
    [InlineData("PLANT")]
    [InlineData("KEY")]
    public async Task The_accounts_of_an_operator_have_the_mappings_and_imports_of_their_JWTs(string account)
    {
        var office = JwtKey.ForAccount();
        string plantJwt = NamedAccount("PLANT", _site.Account, "\"exports\":[{\"subject\":\"pumps.>\",\"type\":\"stream\"}],\"mappings\":{\"old.*\":[{\"subject\":\"pumps.$1\"}]}");
        string officeJwt = NamedAccount("OFFICE", office, $"\"imports\":[{{\"account\":\"{_site.Account.Public}\",\"subject\":\"pumps.>\",\"to\":\"plant\",\"type\":\"stream\"}}]");
        string file = _folder.Write(
            "broker.conf",
            $"operator: \"{_site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{ {_site.Account}: \"{plantJwt}\", {office}: \"{officeJwt}\" }}");

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "trace", "old.one", "-c", file, "--account", account == "KEY" ? _site.Account.Public : account);

        Assert.True(exitCode == ExitCode.Success, error);
        Assert.Contains("The permissions of users are in their JWTs, which the file does not contain.", error, StringComparison.Ordinal);
        string[] rows = Rows(output);
        Assert.Equal("old.one, published by a client of account PLANT", rows[0]);
        Assert.Contains("any user of the account PLANT pumps.one may may subscribe, if its JWT permits it", rows);
        Assert.Contains(rows, static row => row.StartsWith("any user of the account OFFICE ", StringComparison.Ordinal));

        (exitCode, _, error) = await ShellRun.OfAsync("trace", "a", "-c", file);

        Assert.Equal((ExitCode.Usage, true), (exitCode, error.Contains("OFFICE", StringComparison.Ordinal) && error.Contains("PLANT", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_message_that_the_user_may_not_publish_reaches_nobody()
    {
        string file = _folder.Write("broker.conf", Accounts);

        (int exitCode, string output, string error) = await ShellRun.OfAsync("trace", "orders.new", "-c", file, "--user", "eve");

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Equal(
            ["orders.new, published by user eve of account SHOP", "- eve may not publish to orders.new: publish.deny has orders.>"], Rows(output));
        Assert.EndsWith("broker: nobody would get a message on orders.new\n", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Mappings_and_services_of_other_accounts_are_followed()
    {
        string file = _folder.Write("broker.conf", Accounts);

        JsonElement mapped = await JsonAsync("old.x", "-c", file, "--account", "SHOP");
        JsonElement service = await JsonAsync("orders.pay", "-c", file, "--account", "SHOP");

        Assert.Equal(
            [
                "the mapping of old.* in account SHOP gives it the subject orders.x, for 80 % of the messages",
                "the mapping of old.* in account SHOP gives it the subject orders.v1.x, for 15 % of the messages",
                "the mapping of old.* in account SHOP gives it the subject old.x, for 5 % of the messages",
            ],
            Texts(mapped, "steps").Where(static step => step.Contains("mapping", StringComparison.Ordinal)));
        Assert.Contains(mapped.GetProperty("receivers").EnumerateArray(), static r => Is(r, "user bob", "BANK", "shop.orders.v1.x", "part"));
        Assert.Contains("account SHOP imports the service pay.in: account BANK gets the request as pay.in", Texts(service, "steps"));
        Assert.Contains(service.GetProperty("receivers").EnumerateArray(), static r => Is(r, "user bob", "BANK", "pay.in", "may"));
    }

    [Fact]
    public async Task A_file_tells_which_ZeroMQ_routes_and_hubs_get_a_message()
    {
        string file = _folder.Write("broker.conf", """
            zeromq { publishers: "tcp://127.0.0.1:*", prefix: plant, routes: [ { pattern: worker, endpoint: "tcp://127.0.0.1:*", subject: "plant.jobs", name: jobs } ] }
            leafnodes { remotes: [ { url: "nats-leaf://hub:7422" }, { url: "nats-leaf://other:7422", deny_exports: "plant.>" } ] }
            """);

        JsonElement trace = await JsonAsync("plant.jobs", "-c", file);

        JsonElement[] receivers = [.. trace.GetProperty("receivers").EnumerateArray()];
        Assert.Equal(
            ["any client may", "ZeroMQ route pubsub may", "ZeroMQ route jobs may", "may", "no"],
            receivers.Select(static r => (r.GetProperty("receiver").GetString()!.StartsWith("hub ", StringComparison.Ordinal) ? "" : r.GetProperty("receiver").GetString() + " ")
                + r.GetProperty("receives").GetString()));
        Assert.Equal("deny_exports has plant.>", receivers[^1].GetProperty("why").GetString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_running_server_tells_who_has_subscribed(bool isNatsServer)
    {
        if (isNatsServer)
        {
            using var server = NatsServer.StartWithConfiguration(Accounts, "-m", "-1");
            await AskAsync(server.Url, server.Http.BaseAddress!.ToString());
        }
        else
        {
            string file = _folder.Write("broker.conf", Accounts);
            await RealRun.WhileServingAsync(addresses => AskAsync(addresses.Nats[0], addresses.Monitoring[0]), "serve", "-q", "-p", "-1", "-m", "-1", "-c", file);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stream_that_stores_the_message_is_a_receiver(bool isNatsServer)
    {
        string store = Path.Combine(_folder.Path, "store").Replace('\\', '/');
        if (isNatsServer)
        {
            using var server = NatsServer.StartWithConfiguration($"jetstream {{ store_dir: \"{store}\" }}", "-m", "-1");
            await AskForStreamAsync(server.Url, server.Http.BaseAddress!.ToString());
        }
        else
        {
            await RealRun.WhileServingAsync(
                static addresses => AskForStreamAsync(addresses.Nats[0], addresses.Monitoring[0]), "serve", "-q", "-p", "-1", "-m", "-1", "-js", "-sd", store);
        }
    }

    private static async Task AskForStreamAsync(string url, string pages)
    {
        await using BrokerConnection client = await ConnectAsync(url, null, null);
        await client.RequestAsync(
            "$JS.API.STREAM.CREATE.ORDERS",
            "{\"name\":\"ORDERS\",\"subjects\":[\"orders.>\"]}"u8.ToArray(),
            Wait.Limit,
            cancellationToken: TestContext.Current.CancellationToken);

        JsonElement alone = await JsonAsync("orders.new", "-s", pages);
        client.Subscribe("orders.>", static (in _) => { });
        await client.FlushAsync(TestContext.Current.CancellationToken);
        JsonElement both = await JsonAsync("orders.new", "-s", pages);

        Assert.Equal(["$G orders.new yes: stores orders.>"], Receivers(alone));
        Assert.Equal("stream ORDERS", alone.GetProperty("receivers")[0].GetProperty("receiver").GetString());
        Assert.Equal(["$G orders.new yes: has subscribed to orders.>", "$G orders.new yes: stores orders.>"], Receivers(both));
    }

    private static async Task AskAsync(string url, string pages)
    {
        await using BrokerConnection ada = await ConnectAsync(url, "ada", "a");
        await using BrokerConnection bob = await ConnectAsync(url, "bob", "b");
        ada.Subscribe("orders.*", static (in _) => { });
        ada.Subscribe("orders.new", static (in _) => { }, "workers");
        ada.Subscribe("orders.>", static (in _) => { }, "workers");
        ada.Subscribe("other", static (in _) => { });
        bob.Subscribe("shop.>", static (in _) => { });
        bob.Subscribe("pay.in", static (in _) => { });
        await ada.FlushAsync(TestContext.Current.CancellationToken);
        await bob.FlushAsync(TestContext.Current.CancellationToken);

        JsonElement trace = await JsonAsync("orders.new", "-s", pages, "--user", "ada");
        JsonElement service = await JsonAsync("orders.pay", "-s", pages, "--account", "SHOP");
        (int exitCode, _, string error) = await ShellRun.OfAsync("trace", "nobody.wants", "-s", pages, "--account", "SHOP");

        Assert.Equal("SHOP", trace.GetProperty("account").GetString());
        Assert.Equal(
            [
                "BANK shop.orders.new yes: has subscribed to shop.>",
                "SHOP orders.new part: has subscribed to orders.>; one of 2 members of the queue group workers gets each message",
                "SHOP orders.new part: has subscribed to orders.new; one of 2 members of the queue group workers gets each message",
                "SHOP orders.new yes: has subscribed to orders.*",
            ],
            Receivers(trace));
        Assert.All(trace.GetProperty("receivers").EnumerateArray(), static r => Assert.Matches("^client [0-9]+ \"traced\" \\(user (ada|bob)\\)$", r.GetProperty("receiver").GetString()));
        Assert.Contains("The pages do not show permissions: -c reads them from a configuration file.", Texts(trace, "unknown"));
        Assert.Contains("BANK pay.in yes: has subscribed to pay.in", Receivers(service));
        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.EndsWith("broker: nobody would get a message on nobody.wants\n", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_ZeroMQ_subscriber_is_shown_as_the_client_of_the_bridge()
    {
        await RealRun.WhileServingAsync(
            static async addresses =>
            {
                await using var run = ShellRun.Start("zmq", "sub", "--connect", addresses.ZeroMqSubscribers[0], "weather");
                (int ExitCode, string Output, string Error) trace = default;
                await Wait.UntilAsync(
                    async () =>
                    {
                        trace = await ShellRun.OfAsync("trace", "zmq.weather.oslo", "-s", addresses.Monitoring[0]);
                        return trace.ExitCode == ExitCode.Success;
                    },
                    "a subscription of the bridge");

                Assert.Contains("\"zeromq bridge\"", trace.Output, StringComparison.Ordinal);
                Assert.Contains("for ZeroMQ programs", trace.Output, StringComparison.Ordinal);
            },
            "serve", "-q", "-p", "-1", "-m", "-1", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*");
    }

    [Theory]
    [InlineData(ExitCode.Usage, "\"a.*\" is not a valid subject without wildcards", "a.*")]
    [InlineData(ExitCode.Usage, "name the account of the publisher with --account: SHOP, BANK, $G", "a", "-c", "FILE")]
    [InlineData(ExitCode.Usage, "the account \"NONE\" does not exist", "a", "-c", "FILE", "--account", "NONE")]
    [InlineData(ExitCode.Usage, "the user \"zoe\" is not known here", "a", "-c", "FILE", "--user", "zoe")]
    [InlineData(ExitCode.Usage, "the user \"ada\" is in the account SHOP, not in BANK", "a", "-c", "FILE", "--user", "ada", "--account", "BANK")]
    [InlineData(ExitCode.Failure, "there is no such file", "a", "-c", "FILE.none")]
    [InlineData(ExitCode.Failure, "http://127.0.0.1:1/ cannot be read", "a", "-s", "http://127.0.0.1:1")]
    public async Task What_cannot_be_traced_says_why(int expected, string said, params string[] args)
    {
        string file = _folder.Write("broker.conf", Accounts);

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            ["trace", .. args.Select(arg => arg.Replace("FILE", file, StringComparison.Ordinal))]);

        Assert.Equal((expected, ""), (exitCode, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task Each_example_of_help_and_page_runs(string line)
    {
        string file = _folder.Write("broker.conf", Accounts.Replace("SHOP", "A", StringComparison.Ordinal).Replace("BANK", "B", StringComparison.Ordinal));
        bool hasAccounts = line.Contains("--account", StringComparison.Ordinal);
        string[] served = hasAccounts ? ["-c", _folder.Write("shop.conf", Accounts)] : [];
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using BrokerConnection client = await ConnectAsync(addresses.Nats[0], hasAccounts ? "ada" : null, hasAccounts ? "a" : null);
                client.Subscribe("orders.>", static (in _) => { });
                await client.FlushAsync(TestContext.Current.CancellationToken);
                string[] args = [.. line.Split(' ').Skip(1).Select(word => word == "broker.conf" ? file : word == "http://127.0.0.1:8223" ? addresses.Monitoring[0] : word)];
                string[] at = args.Contains("-c", StringComparer.Ordinal) || args.Contains("-s", StringComparer.Ordinal) ? [] : ["-s", addresses.Monitoring[0]];

                (int exitCode, string output, string error) = await ShellRun.OfAsync([.. args, .. at]);

                Assert.True(exitCode == ExitCode.Success, error);
                Assert.NotEmpty(output);
            },
            ["serve", "-q", "-p", "-1", "-m", "-1", .. served]);
    }

    private static async Task<BrokerConnection> ConnectAsync(string url, string? user, string? password)
        => await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [url], Name = "traced", User = user, Password = password, ConnectTimeout = Wait.Limit },
            TestContext.Current.CancellationToken);

    private static async Task<JsonElement> JsonAsync(params string[] args)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(["trace", "--json", .. args]);
        Assert.True(exitCode == ExitCode.Success, error + output);
        return JsonDocument.Parse(output).RootElement;
    }

    private static bool Is(JsonElement receiver, string name, string account, string subject, string receives)
        => receiver.GetProperty("receiver").GetString() == name && receiver.GetProperty("account").GetString() == account
            && receiver.GetProperty("subject").GetString() == subject && receiver.GetProperty("receives").GetString() == receives;

    private static IEnumerable<string> Receivers(JsonElement trace)
        => trace.GetProperty("receivers").EnumerateArray()
            .Select(static r => $"{r.GetProperty("account")} {r.GetProperty("subject")} {r.GetProperty("receives")}: {r.GetProperty("why")}")
            .Order(StringComparer.Ordinal);

    private static IEnumerable<string> Texts(JsonElement element, string name) => element.GetProperty(name).EnumerateArray().Select(static text => text.GetString()!);

    private static string[] Rows(string table) => [.. table.TrimEnd('\n').Split('\n').Select(static row => Regex.Replace(row, " {2,}", " "))];

    private string NamedAccount(string name, JwtKey key, string claims) => _site.Operator.SignJson(
        $"{{\"jti\":\"X\",\"iat\":1700000000,\"iss\":\"{_site.Operator}\",\"name\":\"{name}\",\"sub\":\"{key}\",\"nats\":{{{JwtSite.NoLimits},{claims},\"type\":\"account\",\"version\":2}}}}");
}
