using System.Text.RegularExpressions;

namespace Broker.Server.Tests.Jwts;

/// <summary>Puts the same JWTs to this server and to two releases of nats-server, and compares the answers.</summary>
public sealed class OperatorOracleTests(OperatorServers servers) : IClassFixture<OperatorServers>
{
    private const string None = JwtSite.NoUserLimits + ",";

    private static readonly OperatorCase[] Cases = [.. Logins(), .. Limits(), .. SigningKeys(), .. Accounts()];

    // The cases in which this server answers differently, with the reason.
    private static readonly Dictionary<string, string> Differences = new(StringComparer.Ordinal)
    {
        // nats-server sends this error twice.
        ["no claim about subscriptions"] = "-ERR 'maximum subscriptions exceeded'\r\n<open>\n",
    };

    public static TheoryData<string, string?> Names
    {
        get
        {
            var names = new TheoryData<string, string?>();
            foreach (OperatorCase played in Cases)
            {
                names.Add(played.Name, null);
                names.Add(played.Name, NewerNatsServers.Sid);
            }

            return names;
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void This_server_answers_users_with_JWTs_as_nats_server_does(string name, string? release)
    {
        OperatorCase played = Cases.Single(c => c.Name == name);
        string theirs = Plain(played.Play(servers, servers.Theirs(release)));
        string ours = Plain(played.Play(servers, servers.Ours));
        if (Differences.TryGetValue(name, out string? expected))
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(expected, ours);
        }
        else
        {
            Assert.Equal(theirs, ours);
        }
    }

    [Fact]
    public void Every_documented_difference_belongs_to_a_case() => Assert.Empty(Differences.Keys.Except(Cases.Select(static c => c.Name)));

    // Reply subjects that a server creates differ.
    private static string Plain(string heard) => Regex.Replace(heard, "_R_\\.[A-Za-z0-9.]+", "_R_");

    private static Func<OperatorServers, string, string> As(string account, string claims = None, string more = "")
        => (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.User, claims, more, s.Accounts[account]), s.User, nonce);

    private static Func<OperatorServers, string, string> By(Func<OperatorServers, JwtKey> key, string claims = None)
        => (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.User, claims.Replace("MAIN", s.Accounts["main"].Public, StringComparison.Ordinal), signer: key(s)), s.User, nonce);

    private static OperatorCase One(string name, Func<OperatorServers, string, string> connect, params string[] steps) => new(name, [connect], steps);

    private static IEnumerable<OperatorCase> Logins() =>
    [
        One("a valid user", As("main"), "0 SUB a 1", "0 PUB a 1\r\nx"),
        One("no JWT", static (_, _) => "CONNECT {\"verbose\":false}\r\n"),
        One("an empty JWT", static (_, _) => "CONNECT {\"verbose\":false,\"jwt\":\"\",\"sig\":\"\"}\r\n"),
        One("a JWT that is no JWT", static (_, _) => "CONNECT {\"verbose\":false,\"jwt\":\"eyJ.x.y\",\"sig\":\"AA\"}\r\n"),
        One("a user and a password", static (_, _) => "CONNECT {\"verbose\":false,\"user\":\"a\",\"pass\":\"b\"}\r\n"),
        One("an operation without CONNECT", static (_, _) => "SUB a 1\r\n"),
        One("a signature of another nonce", static (s, _) => JwtSite.Connect(s.Site.UserJwt(s.User, signer: s.Accounts["main"]), s.User, "x")),
        One("a signature of another key", static (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.User, signer: s.Accounts["main"]), s.Revoked, nonce)),
        One("a signature in plain base64", static (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.User, signer: s.Accounts["main"]), s.User, nonce).Replace('-', '+').Replace('_', '/')),
        One("an unknown signer", By(static _ => JwtKey.ForAccount())),
        One("an unknown account of a known signer", By(static s => s.Signing, None + $"\"issuer_account\":\"{JwtKey.ForAccount()}\",")),
        One("expired", As("main", more: "\"exp\":1700000001,")),
        One("not yet valid", As("main", more: "\"nbf\":4000000000,")),
        One("valid from now on", As("main", more: "\"nbf\":1700000000,\"exp\":4000000000,"), "0 SUB a 1"),
        One("an account that has expired", As("expired")),
        One("an account that is not valid yet", As("early")),
        One("a revoked user", static (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.Revoked, signer: s.Accounts["main"]), s.Revoked, nonce)),
        One("the JWT of an account", static (s, nonce) => JwtSite.Connect(s.Site.AccountJwt(s.Accounts["main"]), s.User, nonce)),
        One("a user that the operator has signed", static (s, nonce) => JwtSite.Connect(s.Site.UserJwt(s.User, signer: s.Site.Operator), s.User, nonce)),
        One("a bearer without a signature", static (s, _) => $$"""CONNECT {"verbose":false,"jwt":"{{s.Site.UserJwt(s.User, None + "\"bearer_token\":true,", signer: s.Accounts["main"])}}"}""" + "\r\n", "0 SUB a 1"),
        One("a bearer that its account refuses", As("bearerless", None + "\"bearer_token\":true,")),
        One("a user of an account that refuses bearers", As("bearerless"), "0 SUB a 1"),
        One("the right network", As("main", None + "\"src\":[\"192.0.2.0/24\",\"127.0.0.0/8\"],"), "0 SUB a 1"),
        One("another network", As("main", None + "\"src\":[\"192.0.2.0/24\"],")),
        One("the right type of connection", As("main", None + "\"allowed_connection_types\":[\"standard\",\"X\"],"), "0 SUB a 1"),
        One("another type of connection", As("main", None + "\"allowed_connection_types\":[\"WEBSOCKET\"],")),
        One("only unknown types of connection", As("main", None + "\"allowed_connection_types\":[\"X\"],")),
        One("all times of day", As("main", None + "\"times\":[{\"start\":\"00:00:00\",\"end\":\"23:59:59\"}],\"times_location\":\"UTC\","), "0 SUB a 1"),
        One("CONNECT again without a JWT", As("main"), "0 CONNECT {\"verbose\":false}", "0 SUB a 1"),
    ];

    private static IEnumerable<OperatorCase> Limits() =>
    [
        One("permissions", As("main", None + "\"pub\":{\"allow\":[\"a.>\"],\"deny\":[\"a.no\"]},\"sub\":{\"allow\":[\"a.>\",\"q w\"],\"deny\":[\"a.no\"]},"), "0 SUB a.* 1", "0 SUB b 2", "0 SUB q 3", "0 SUB q w 4", "0 SUB a.no 5", "0 PUB a.b 1\r\nx", "0 PUB a.no 1\r\nx", "0 PUB b 1\r\nx"),
        One("no permissions of its own", As("main"), "0 PUB d 1\r\nx", "0 PUB e 1\r\nx"),
        One("some permissions of its own", As("main", None + "\"sub\":{\"deny\":[\"e\"]},"), "0 PUB d 1\r\nx", "0 SUB e 1"),
        new("a response", [As("main", None + "\"sub\":{\"allow\":[\"svc\"]},\"resp\":{\"max\":1,\"ttl\":0},"), As("main")], "0 SUB svc 1", "1 SUB r 1", "1 PUB svc r 1\r\nx", "0 PUB r 1\r\ny", "0 PUB r 1\r\nz"),
        One("two subscriptions", As("main", "\"subs\":2,\"data\":-1,\"payload\":-1,"), "0 SUB a 1", "0 SUB b 2", "0 SUB c 3"),
        One("no claim about subscriptions", As("main", "\"data\":-1,\"payload\":-1,"), "0 SUB a 1"),
        One("a payload", As("main", "\"subs\":-1,\"data\":-1,\"payload\":4,"), "0 PUB a 4\r\n1234", "0 PUB a 5\r\n12345"),
        One("a small account", As("small"), "0 SUB a 1", "0 SUB b 2", "0 PUB a 4\r\n1234", "0 PUB a 5\r\n12345"),
        new("an account for one client", [As("one"), As("one")]),
        One("an account without limits in its JWT", As("empty")),
    ];

    private static IEnumerable<OperatorCase> SigningKeys() =>
    [
        One("a signing key", By(static s => s.Signing, None + "\"issuer_account\":\"MAIN\","), "0 SUB a 1"),
        One("a signing key without issuer_account", By(static s => s.Signing)),
        One("a scoped key", By(static s => s.Scoped, "\"issuer_account\":\"MAIN\",\"tags\":[\"team:red\",\"team:blue\"],"), "0 PUB n.x 1\r\nx", "0 PUB m.x 1\r\nx", "0 PUB in.red 1\r\nx", "0 PUB in.blue 1\r\nx", "0 PUB in.green 1\r\nx", "0 SUB no 1", "0 SUB out.x 1", "0 SUB x 1"),
        One("a scoped key and no tags", By(static s => s.Scoped, "\"issuer_account\":\"MAIN\","), "0 PUB in.red 1\r\nx"),
        One("a scoped key and limits of its own", By(static s => s.Scoped, "\"subs\":1,\"issuer_account\":\"MAIN\",")),
        One("a scoped key and permissions of its own", By(static s => s.Scoped, "\"pub\":{\"allow\":[\"a\"]},\"issuer_account\":\"MAIN\",")),
    ];

    private static IEnumerable<OperatorCase> Accounts() =>
    [
        new("a stream of another account", [As("main"), As("exporter")], "0 SUB from.s.* 1", "1 PUB s.a 1\r\nx", "0 PING"),
        new("a service of another account", [As("main"), As("exporter")], "1 SUB q 1", "0 SUB r 1", "0 PUB my.q 1\r\nx", "1 PING"),
        new("a service without its activation", [As("main"), As("exporter")], "1 SUB t 1", "0 PUB t 1\r\nx"),
        new("the same subject in two accounts", [As("main"), As("exporter")], "0 SUB a 1", "1 SUB a 1", "1 PUB a 1\r\nx"),
        One("a mapping", As("main"), "0 SUB new 1", "0 SUB old 2", "0 PUB old 1\r\nx"),
    ];
}
