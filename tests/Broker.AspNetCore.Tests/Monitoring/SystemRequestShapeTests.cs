using System.Text.Json;
using System.Text.Json.Nodes;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;

namespace Broker.AspNetCore.Tests.Monitoring;

/// <summary>Compares the answers to system requests with those of the real nats-server.</summary>
public sealed class SystemRequestShapeTests
{
    private const string Configuration = """
        accounts {
          A {
            users: [ { user: a, password: a } ]
            exports: [ { stream: "ev.>" }, { service: "q" } ]
          }
          B {
            users: [ { user: b, password: b } ]
            imports: [ { stream: { account: A, subject: "ev.>" } } ]
          }
          SYS { users: [ { user: s, password: s } ] }
        }
        system_account: SYS
        server_name: shape
        server_tags: ["blue"]
        """;

    // A request that each server answers after the one before it, so that a missing answer is seen without a wait.
    private const string SystemFence = "$SYS.REQ.SERVER.PING";
    private const string Fence = "$SYS.REQ.ACCOUNT.PING.STATZ";

    public static TheoryData<string, string, string> Requests
    {
        get
        {
            var requests = new TheoryData<string, string, string>();
            foreach (string kind in new[]
            {
                "", ".STATSZ", ".VARZ", ".CONNZ", ".SUBSZ", ".ROUTEZ", ".LEAFZ", ".GATEWAYZ", ".JSZ", ".ACCOUNTZ", ".HEALTHZ",
                ".PROFILEZ", ".KICK", ".LDM", ".RELOAD", ".ACCSTATZ", ".STATZ", ".CONNS", ".FOO",
            })
            {
                requests.Add("s", "SERVER.PING" + kind, "");
            }

            foreach (string kind in new[] { "VARZ", "PING", "CONNZ", "SUBSZ", "STATSZ", "HEALTHZ", "ACCOUNTZ", "FOO" })
            {
                requests.Add("s", "SERVER.{id}." + kind, "");
            }

            foreach (string account in new[] { "A", "B", "SYS" })
            {
                foreach (string kind in new[] { "CONNZ", "SUBSZ", "INFO", "CONNS", "STATZ", "LEAFZ", "JSZ", "FOO" })
                {
                    requests.Add("s", $"ACCOUNT.{account}.{kind}", "");
                }
            }

            return requests;
        }
    }

    public static TheoryData<string, string, string> Bodies => new()
    {
        { "s", "SERVER.PING.CONNZ", """{"limit":1}""" },
        { "s", "SERVER.PING.CONNZ", """{"subscriptions":true,"auth":true}""" },
        { "s", "SERVER.PING.CONNZ", """{"subscriptions_detail":true,"auth":true,"acc":"A"}""" },
        { "s", "SERVER.PING.CONNZ", """{"user":"a","auth":true}""" },
        { "s", "SERVER.PING.CONNZ", """{"sort":"bogus"}""" },
        { "s", "SERVER.PING.CONNZ", """{"sort":"stop"}""" },
        { "s", "SERVER.PING.CONNZ", """{"cid":9999}""" },
        { "s", "SERVER.PING.CONNZ", """{"state":1,"sort":"stop"}""" },
        { "s", "SERVER.PING.CONNZ", """{"filter_subject":"foo.*","acc":"A","subscriptions":true}""" },
        { "s", "SERVER.PING.CONNZ", """{"filter_subject":"nothing","acc":"A"}""" },
        { "s", "SERVER.PING.CONNZ", """{"filter_subject":"foo"}""" },
        { "s", "SERVER.PING.CONNZ", """{"foo":1}""" },
        { "s", "SERVER.PING.CONNZ", "null" },
        { "s", "SERVER.PING.CONNZ", "[]" },
        { "s", "SERVER.PING.CONNZ", "foo" },
        { "s", "SERVER.PING.CONNZ", """{"limit":"x"}""" },
        { "s", "SERVER.PING.SUBSZ", """{"subscriptions":true,"account":"A"}""" },
        { "s", "SERVER.PING.SUBSZ", """{"subscriptions":true,"test":"foo.bar"}""" },
        { "s", "SERVER.PING.SUBSZ", """{"test":"a..b"}""" },
        { "s", "SERVER.PING.ACCOUNTZ", """{"account":"B"}""" },
        { "s", "SERVER.PING.ACCOUNTZ", """{"account":"NOPE"}""" },
        { "s", "SERVER.PING.HEALTHZ", """{"js-enabled-only":true}""" },
        { "s", "SERVER.PING.VARZ", """{"server_name":"other"}""" },
        { "s", "SERVER.PING.VARZ", """{"server_name":"sha"}""" },
        { "s", "SERVER.PING.VARZ", """{"tags":["red"]}""" },
        { "s", "SERVER.PING.VARZ", """{"tags":["blue"]}""" },
        { "s", "SERVER.PING.VARZ", """{"cluster":"x"}""" },
        { "s", "SERVER.PING.VARZ", """{"domain":"x"}""" },
        { "s", "SERVER.PING.VARZ", """{"host":"x"}""" },
        { "s", "SERVER.PING.VARZ", """{"server_name":1}""" },
        { "s", "ACCOUNT.A.CONNZ", """{"acc":"B","limit":1}""" },
        { "s", "ACCOUNT.A.SUBSZ", """{"account":"B"}""" },
        { "s", "ACCOUNT.NOPE.INFO", "" },
        { "s", "ACCOUNT.PING.STATZ", """{"accounts":["A","B"]}""" },
        { "s", "ACCOUNT.PING.STATZ", """{"accounts":["A"],"include_unused":true}""" },
        { "s", "ACCOUNT.PING.STATZ", """{"accounts":["NOPE"]}""" },
        { "a", "SERVER.PING", "" },
        { "a", "SERVER.PING.VARZ", "" },
        { "a", "SERVER.PING.CONNZ", """{"acc":"B","auth":true}""" },
        { "a", "ACCOUNT.PING.CONNZ", """{"subscriptions":true}""" },
        { "a", "ACCOUNT.PING.STATZ", """{"accounts":["B"]}""" },
        { "a", "ACCOUNT.PING.SUBSZ", "" },
        { "a", "ACCOUNT.A.CONNZ", "" },
        { "a", "ACCOUNT.B.CONNZ", "" },
        { "a", "SERVER.{id}.VARZ", "" },
        { "a", "SERVER.{id}.RELOAD", "" },
    };

    [Theory]
    [MemberData(nameof(Requests))]
    [MemberData(nameof(Bodies))]
    public async Task An_answer_has_the_fields_of_nats_server_with_their_types_and_values(string user, string request, string body)
    {
        using var oracle = NatsServer.StartWithConfiguration(Configuration, "-m", "-1");
        await using Site site = await StartAsync();
        string[] theirs = await AskAsync(oracle.EndPoint, oracle.Http, user, request, body);
        string[] ours = await AskAsync(site.Server.EndPoints[0], site.Http, user, request, body);
        Assert.True(theirs.Length == ours.Length, $"{string.Join('\n', theirs)}\n\n{string.Join('\n', ours)}");
        foreach ((string their, string our) in theirs.Zip(ours))
        {
            if (their[0] != '{')
            {
                Assert.Equal(their, our);
                continue;
            }

            // As in the path of a page, so that the comparison knows which connections the answer is about.
            string path = body.Contains("\"state\"", StringComparison.Ordinal) ? request + "?state=" : request;
            PageComparison.Compare(path, Prepare(their, user), Prepare(our, user));
        }
    }

    [Theory]
    [InlineData("s", "foo.bar")]
    [InlineData("s", ">")]
    [InlineData("a", "foo.bar")]
    [InlineData("a", "foo.bar workers")]
    [InlineData("a", "foo.bar others")]
    [InlineData("a", "foo.*")]
    [InlineData("a", ">")]
    [InlineData("a", "*.*")]
    [InlineData("a", "bar.>")]
    [InlineData("a", "foo..bar")]
    [InlineData("a", " foo.bar ")]
    [InlineData("a", "foo.bar workers x")]
    [InlineData("a", "")]
    public async Task Subscribers_are_counted_as_by_nats_server(string user, string body)
    {
        const string ServiceConfiguration = """
            accounts {
              A {
                users: [ { user: a, password: a } ]
                imports: [ { service: { account: SYS, subject: "$SYS.DEBUG.SUBSCRIBERS" } } ]
              }
              SYS {
                users: [ { user: s, password: s } ]
                exports: [ { service: "$SYS.DEBUG.SUBSCRIBERS", accounts: [A] } ]
              }
            }
            system_account: SYS
            """;
        using var oracle = NatsServer.StartWithConfiguration(ServiceConfiguration);
        await using Site site = await Site.StartAsync(o =>
        {
            o.SystemAccount = "SYS";
            o.Accounts =
            [
                new AccountOptions("A") { Users = [new User("a", "a")], Imports = [new ServiceImport("SYS", "$SYS.DEBUG.SUBSCRIBERS")] },
                new AccountOptions("SYS") { Users = [new User("s", "s")], Exports = [new ServiceExport("$SYS.DEBUG.SUBSCRIBERS") { Accounts = ["A"] }] },
            ];
        });
        Assert.Equal(Count(oracle.EndPoint), Count(site.Server.EndPoints[0]));

        string Count(System.Net.EndPoint endPoint)
        {
            using var client = new LineClient(
                endPoint,
                Login(user),
                "SUB in.* 1\r\nSUB foo.bar 2\r\nSUB foo.bar workers 3\r\nSUB foo.bar workers 4\r\nSUB foo.* 5\r\nSUB *.bar 6\r\nSUB foo.> 7\r\n");
            return Assert.Single(client.Request("$SYS.DEBUG.SUBSCRIBERS", body, "$SYS.DEBUG.SUBSCRIBERS"));
        }
    }

    private static string Login(string user)
        => $$"""{"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"user":"{{user}}","pass":"{{user}}","name":"{{user}}","lang":"x","version":"1"}""";

    private static Task<Site> StartAsync() => Site.StartAsync(o =>
    {
        o.ServerName = "shape";
        o.ServerTags = ["blue"];
        o.SystemAccount = "SYS";
        o.Accounts =
        [
            new AccountOptions("A") { Users = [new User("a", "a")], Exports = [new StreamExport("ev.>"), new ServiceExport("q")] },
            new AccountOptions("B") { Users = [new User("b", "b")], Imports = [new StreamImport("A", "ev.>")] },
            new AccountOptions("SYS") { Users = [new User("s", "s")] },
        ];
    });

    private static async Task<string[]> AskAsync(System.Net.EndPoint endPoint, HttpClient http, string user, string request, string body)
    {
        using var s = new LineClient(endPoint, Login("s"), "SUB in.* 1\r\n");
        using var a = new LineClient(endPoint, Login("a"), "SUB in.* 1\r\nSUB foo.bar 2\r\nSUB foo.* q 3\r\n");
        using var b = new LineClient(endPoint, Login("b"), "SUB ev.one 1\r\n");
        // nats-server counts a message that arrives together with CONNECT for another account.
        a.Send("PUB foo.bar 2\r\nhi\r\n");
        a.Sync();
        using (var left = new LineClient(endPoint, Login("b")))
        {
            left.Send("PUB x 3\r\nabc\r\n");
            left.Sync();
        }

        await Wait.UntilAsync(
            async () => (await http.GetStringAsync("connz?state=closed", TestContext.Current.CancellationToken)).Contains("\"stop\"", StringComparison.Ordinal),
            "the fourth client is not seen to have gone");
        using var json = JsonDocument.Parse(await http.GetStringAsync("varz", TestContext.Current.CancellationToken));
        string id = json.RootElement.GetProperty("server_id").GetString()!;
        string subject = "$SYS.REQ." + request.Replace("{id}", id, StringComparison.Ordinal);
        return [.. (user == "s" ? s : a).Request(subject, body, user == "s" ? SystemFence : Fence)];
    }

    // Removes what a nats-server has in every account, the round-trip time, which is unknown at first, the counters of
    // the requester, which change meanwhile, and the texts of Go's parser.
    private static JsonElement Prepare(string reply, string user)
    {
        JsonNode node = JsonNode.Parse(reply)!;
        Simplify(node, user);
        return JsonSerializer.SerializeToElement(node);
    }

    private static void Simplify(JsonNode? node, string user)
    {
        if (node is JsonArray array)
        {
            foreach (JsonNode? item in array)
            {
                Simplify(item, user);
            }
        }
        else if (node is JsonObject fields)
        {
            fields.Remove("rtt");
            if (fields.ContainsKey("server_name") || IsText(fields, "name", user))
            {
                Clear(fields, "in_msgs", "out_msgs", "in_bytes", "out_bytes");
            }
            else if (fields.ContainsKey("cpu") || IsText(fields, "acc", user == "s" ? "SYS" : "A"))
            {
                Clear(fields, "sent", "received");
            }
            else if ((int?)fields["code"] == 400)
            {
                Clear(fields, "description");
            }

            Remove(fields, "imports", i => (string?)i!["account"] == "SYS");
            Remove(fields, "exports", e => ((string)e!["subject"]!).StartsWith("$SYS.", StringComparison.Ordinal));
            if (fields.ContainsKey("subscriptions_list"))
            {
                Remove(fields, "subscriptions_list", IsMore);
                fields["total"] = 0;
            }

            foreach ((string _, JsonNode? value) in fields)
            {
                Simplify(value, user);
            }
        }
    }

    // nats-server also lists its own subscriptions, and those of importers of a stream.
    private static bool IsMore(JsonNode? subscription)
        => subscription is JsonObject fields
            && ((string)fields["subject"]! is var subject)
            && (subject.StartsWith("$SYS.", StringComparison.Ordinal) || subject.StartsWith("ev.", StringComparison.Ordinal));

    private static bool IsText(JsonObject fields, string name, string text) => (string?)fields[name] == text;

    private static void Clear(JsonObject fields, params ReadOnlySpan<string> names)
    {
        foreach (string name in names)
        {
            if (fields.ContainsKey(name))
            {
                fields[name] = null;
            }
        }
    }

    private static void Remove(JsonObject fields, string list, Func<JsonNode?, bool> condition)
    {
        if (fields[list] is not JsonArray array)
        {
            return;
        }

        JsonNode?[] wrong = [.. array.Where(condition)];
        foreach (JsonNode? item in wrong)
        {
            array.Remove(item);
        }

        if (array.Count == 0)
        {
            fields.Remove(list);
        }
    }
}
