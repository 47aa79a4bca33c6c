using System.Text.Json.Nodes;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>Compares the pages about accounts with those of the real nats-server.</summary>
public sealed class AccountPageTests
{
    private const string Config = """
        accounts {
          A {
            users: [ { user: a, password: a } ]
            exports: [ { stream: "x.>" }, { stream: "y.*.*", accounts: [B] }, { service: "q" }, { service: "r", accounts: [B], response_type: stream }, { service: "s", response_type: chunked } ]
          }
          B {
            users: [ { user: b, password: b } ]
            imports: [
              { stream: { account: A, subject: "x.>" }, prefix: p }
              { stream: { account: A, subject: "y.*.*" }, to: "z.$2.$1" }
              { service: { account: A, subject: "q" }, to: "local.q" }
              { service: { account: A, subject: "r" } }
            ]
          }
          S { users: [ { user: s, password: s } ], mappings { "m.*": "n.$1", w: [ { destination: v, weight: 30 }, { destination: u, weight: 20 } ], k: [ { destination: k, weight: 10 } ] } }
        }
        system_account: S
        """;

    private static void Configure(BrokerServerOptions options)
    {
        options.SystemAccount = "S";
        options.Accounts =
        [
            new AccountOptions("A")
            {
                Users = [new User("a", "a")],
                Exports =
                [
                    new StreamExport("x.>"), new StreamExport("y.*.*") { Accounts = ["B"] }, new ServiceExport("q"),
                    new ServiceExport("r") { Accounts = ["B"], Response = ServiceResponse.Stream }, new ServiceExport("s") { Response = ServiceResponse.Chunked },
                ],
            },
            new AccountOptions("B")
            {
                Users = [new User("b", "b")],
                Imports =
                [
                    new StreamImport("A", "x.>") { Prefix = "p" }, new StreamImport("A", "y.*.*") { To = "z.$2.$1" },
                    new ServiceImport("A", "q") { To = "local.q" }, new ServiceImport("A", "r"),
                ],
            },
            new AccountOptions("S")
            {
                Users = [new User("s", "s")],
                Mappings =
                [
                    new SubjectMapping("m.*", "n.$1"),
                    new SubjectMapping("w", [new MappingDestination("v", 30), new MappingDestination("u", 20)]),
                    new SubjectMapping("k", [new MappingDestination("k", 10)]),
                ],
            },
        ];
    }

    [Fact]
    public async Task The_pages_tell_of_accounts_what_those_of_nats_server_tell()
    {
        using var oracle = NatsServer.StartWithConfiguration(Config, "-m", "-1");
        await using Site site = await Site.StartAsync(Configure);
        (HttpClient Http, System.Net.EndPoint EndPoint)[] both = [(oracle.Http, oracle.EndPoint), (site.Http, site.Server.EndPoints[0])];
        var clients = new List<LineClient>();
        var pages = new List<string[]>();
        foreach ((HttpClient http, System.Net.EndPoint endPoint) in both)
        {
            clients.Add(new LineClient(endPoint, Connect("a"), "SUB x.1 1\r\n"));
            clients.Add(new LineClient(endPoint, Connect("b"), "SUB p.> 1\r\nSUB z.> 2\r\n"));
            clients.Add(new LineClient(endPoint, Connect("b")));
            pages.Add([.. await Task.WhenAll(new[] { "A", "B", "$G", "S" }.Select(name => DetailAsync(http, name))), await ConnectionsAsync(http), await NamesAsync(http)]);
        }

        clients.ForEach(c => c.Dispose());
        Assert.Equal(pages[0], pages[1]);
        Assert.Contains("local_subject", pages[1][1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Subscriptions_are_listed_by_account()
    {
        await using Site site = await Site.StartAsync(Configure);
        using LineClient a = site.Connect(Connect("a"), "SUB x.1 1\r\n");
        using LineClient b = site.Connect(Connect("b"), "SUB p.> 1\r\nSUB x.1 2\r\n");
        Assert.Equal(["A:x.1", "B:p.>", "B:x.1"], await ListAsync("subsz?subs=1"));
        Assert.Equal(["B:p.>", "B:x.1"], await ListAsync("subsz?subs=1&acc=B"));
        Assert.Equal(["A:x.1"], await ListAsync("subsz?subs=1&acc=A&test=x.1"));
        Assert.Equal(["A:x.1", "B:x.1"], await ListAsync("subsz?subs=1&test=x.1"));

        async Task<string[]> ListAsync(string path)
            => [.. (await site.GetAsync(path)).GetProperty("subscriptions_list").EnumerateArray().Select(s => $"{s.GetProperty("account")}:{s.GetProperty("subject")}").Order(StringComparer.Ordinal)];
    }

    private static string Connect(string user) => $$"""{"verbose":false,"pedantic":false,"user":"{{user}}","pass":"{{user}}"}""";

    private static async Task<JsonNode> GetAsync(HttpClient http, string path)
        => JsonNode.Parse(await http.GetStringAsync(path, TestContext.Current.CancellationToken))!;

    // nats-server's lists have no order, and it adds imports and subscriptions of its own to each account.
    private static async Task<string> DetailAsync(HttpClient http, string account)
    {
        JsonNode page = await GetAsync(http, "accountz?acc=" + account);
        JsonNode detail = page["account_detail"]!;
        string[] exports = [.. Sorted(detail["exports"]).Where(e => !e.Contains("$SYS.", StringComparison.Ordinal))];
        string[] imports = [.. Sorted(detail["imports"]).Where(i => !i.Contains("$SYS.", StringComparison.Ordinal))];
        return $"{page["system_account"]} {detail["account_name"]} {detail["is_system"]} {detail["client_connections"]} {string.Join(' ', exports)} {string.Join(' ', imports)} {detail["mappings"]?.ToJsonString()}";
    }

    private static string[] Sorted(JsonNode? list)
        => list is null ? [] : [.. list.AsArray().Select(e => new JsonObject(e!.AsObject().OrderBy(p => p.Key, StringComparer.Ordinal).Select(p => KeyValuePair.Create(p.Key, p.Value?.DeepClone()))).ToJsonString()).Order(StringComparer.Ordinal)];

    private static async Task<string> ConnectionsAsync(HttpClient http)
    {
        JsonNode page = await GetAsync(http, "connz?acc=B&auth=1");
        return $"{page["num_connections"]} of {page["total"]}: {string.Join(' ', page["connections"]!.AsArray().Select(c => $"{c!["authorized_user"]} in {c["account"]}"))}";
    }

    private static async Task<string> NamesAsync(HttpClient http)
        => string.Join(' ', (await GetAsync(http, "accountz"))["accounts"]!.AsArray().Select(a => a!.GetValue<string>()).Order(StringComparer.Ordinal));
}
