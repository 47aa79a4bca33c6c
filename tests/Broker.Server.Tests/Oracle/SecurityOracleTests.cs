namespace Broker.Server.Tests.Oracle;

/// <summary>Compares authentication and permissions with the real nats-server, with the same configuration.</summary>
public sealed class SecurityOracleTests(SecuredServers servers) : IClassFixture<SecuredServers>
{
    private static readonly (string Kind, OracleCase Case)[] Cases =
        [.. Tokens().Select(c => ("token", c)), .. Users().Select(c => ("users", c)), .. NoAuthUser().Select(c => ("no auth user", c)), .. Permissions().Select(c => ("permissions", c)), .. Limits().Select(c => ("limits", c))];

    // The cases in which this server replies differently, with the reason.
    private static readonly Dictionary<string, (string Theirs, string Ours)> Differences = new(StringComparer.Ordinal)
    {
        // The allow list of nats-server treats > as a token that * matches.
        ["only * allowed and > subscribed"] = ("A: <open>\n", "A: -ERR 'Permissions Violation for Subscription to \">\"'\r\n<open>\n"),

        // For the same reason its deny list treats ds.no.* as all of ds.no.>. This server delivers the deeper subjects,
        // which no entry denies.
        ["SUB ds.no.> by default"] = ("A: -ERR 'Permissions Violation for Subscription to \"ds.no.>\"'\r\n<open>\n", "A: <open>\n"),
        ["SUB ds.no.>, verbose"] = ("A: +OK\r\n-ERR 'Permissions Violation for Subscription to \"ds.no.>\"'\r\n<open>\n", "A: +OK\r\n+OK\r\n<open>\n"),

        // nats-server delivers a.c.d, which *.c.d denies: GHSA-wh7g.
        ["SUB a.c.> over what is denied"] = ("A: MSG a.c.d 1 1\r\nx\r\nMSG a.c.e 1 1\r\nx\r\n<open>\nB: <open>\n", "A: MSG a.c.e 1 1\r\nx\r\n<open>\nB: <open>\n"),

        // nats-server closes the connection without an error message.
        ["headers before permissions"] = ("A: <closed>\n", "A: -ERR 'message headers not supported'\r\n<closed>\n"),
    };

    public static TheoryData<string, string> Names
    {
        get
        {
            var names = new TheoryData<string, string>();
            foreach ((string kind, OracleCase played) in Cases)
            {
                names.Add(kind, played.Name);
            }

            return names;
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task This_server_replies_as_nats_server_does(string kind, string name)
    {
        OracleCase played = Cases.Single(c => c.Kind == kind && c.Case.Name == name).Case;
        OracleServer pair = await servers.OfAsync(kind);
        string theirs = played.Play(pair.RequireTheirs());
        string ours = played.Play(pair.Ours);
        if (Differences.TryGetValue(name, out (string Theirs, string Ours) expected))
        {
            Assert.NotEqual(theirs, ours);
            Assert.Equal(expected, (theirs, ours));
        }
        else
        {
            Assert.Equal(theirs, ours);
        }
    }

    [Fact]
    public void Every_documented_difference_belongs_to_a_case() => Assert.Empty(Differences.Keys.Except(Cases.Select(c => c.Case.Name)));

    private static string As(char client, string user) => $$"""{{client}} CONNECT {"verbose":false,"pedantic":false,"user":"{{user}}","pass":"{{user}}"}""";

    private static IEnumerable<OracleCase> Limits() =>
    [
        new("a second client of a full account", As('A', "a"), As('B', "a")),
        new("another account than a full one", As('A', "a"), As('B', "c"), "B PUB x 6\r\n123456"),
        new("an account for nobody", As('A', "b")),
        new("a transport that is not allowed", As('A', "w")),
        new("any transport", As('A', "c")),
        new("subscriptions of a client of an account", As('A', "a"), "A SUB x 1", "A SUB y 2", "A SUB z 3", "A UNSUB 1", "A SUB z 3"),
        new("a payload of an account", As('A', "a"), "A SUB x 1", "A PUB x 5\r\n12345", "A PUB x 6\r\n123456"),
        new("tokens of a subscription", As('A', "c"), "A SUB a.b.c 1", "A SUB a.b.> 2", "A SUB a.b.c.d 3", "A SUB a.b.c.> 4", "A SUB a..b.c 5", "A PUB a.b.c.d 1\r\nx"),
    ];

    private static IEnumerable<OracleCase> Tokens()
    {
        foreach (string first in new[] { "PING", "PONG", "SUB a 1", "PUB a 1\r\nx", "UNSUB 1", "FOO", "", " ", "{", "ping", "HPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n", "CFOO", "C" })
        {
            yield return new OracleCase($"before CONNECT <{first.ReplaceLineEndings("~")}>", "A~" + first + "\r\n");
        }

        foreach (string body in new[]
        {
            "{}", """{"auth_token":"s3cret"}""", """{"auth_token":"x"}""", """{"auth_token":""}""", """{"user":"s3cret"}""", """{"pass":"s3cret"}""", """{"AUTH_TOKEN":"s3cret"}""",
            """{"auth_token":"s3cret","protocol":9}""", """{"auth_token":"x","protocol":9}""", """{"auth_token":"x","no_responders":true}""", """{"auth_token":"s3cret","no_responders":true}""",
            """{"auth_token":"s3cret","auth_token":"x"}""", """{"auth_token":"s3cret ","verbose":false}""", """{"auth_token":"S3cret"}""", """{"auth_token":"s3cret","user":"x","pass":"y"}""",
        })
        {
            yield return new OracleCase($"CONNECT {body}", $"A CONNECT {body}", "A PUB a 1\r\nx");
        }

        yield return new OracleCase("a second CONNECT with a wrong token", """A CONNECT {"auth_token":"s3cret"}""", """A CONNECT {"auth_token":"x"}""", "A SUB a 1");
        yield return new OracleCase("a second CONNECT without a token", """A CONNECT {"auth_token":"s3cret"}""", "A CONNECT {}", "A SUB a 1", "A PUB a 1\r\nx");
        yield return new OracleCase("operations behind CONNECT in one piece", "A~CONNECT {\"auth_token\":\"s3cret\",\"verbose\":false}\r\nSUB a 1\r\nPUB a 1\r\nx\r\n");
        yield return new OracleCase("operations behind a wrong CONNECT in one piece", "A~CONNECT {\"auth_token\":\"x\",\"verbose\":false}\r\nSUB a 1\r\nPUB a 1\r\nx\r\n");
        yield return new OracleCase("CONNECT in pieces", "A~CON", "A~NECT {\"auth_tok", "A~en\":\"s3cret\"}", "A~\r", "A~\n", "A SUB a 1");
        yield return new OracleCase("a line without end before CONNECT", $"A~CONNECT {new string('x', 5000)}");
    }

    private static IEnumerable<OracleCase> Users()
    {
        foreach (string body in new[]
        {
            """{"user":"a","pass":"b"}""", """{"user":"c","pass":"d"}""", """{"user":"a","pass":"d"}""", """{"user":"a"}""", """{"pass":"b"}""", """{"user":"zz","pass":"b"}""",
            """{"auth_token":"b"}""", """{"user":"A","pass":"b"}""", """{"user":"a","pass":"b","auth_token":"x"}""", """{"user":"","pass":""}""", """{"user":"a","pass":"b","nkey":""}""",
        })
        {
            yield return new OracleCase($"CONNECT {body}", $"A CONNECT {body}", "A SUB a 1", "A PUB a 1\r\nx");
        }

        yield return new OracleCase("a second CONNECT as another", """A CONNECT {"user":"a","pass":"b"}""", """A CONNECT {"user":"c","pass":"d","verbose":false}""", "A SUB a 1", "A PUB a 1\r\nx");
        yield return new OracleCase("a second CONNECT as nobody", """A CONNECT {"user":"a","pass":"b"}""", """A CONNECT {"user":"zz","pass":"d"}""");
        yield return new OracleCase("nothing", "A~");
    }

    private static IEnumerable<OracleCase> NoAuthUser()
    {
        yield return new OracleCase("PING first", "A PING");
        yield return new OracleCase("SUB first", "A SUB y 1", "A SUB x 2", "A PUB x 1\r\nx", "A PUB y 1\r\nx");
        foreach (string body in new[] { "{}", """{"verbose":false}""", """{"user":"a","pass":"b"}""", """{"user":"a"}""", """{"user":"a","pass":"x"}""", """{"pass":"x"}""", """{"auth_token":"x"}""", """{"user":"g"}""", """{"user":"g","pass":"h"}""" })
        {
            yield return new OracleCase($"CONNECT {body}", $"A CONNECT {body}", "A SUB y 1", "A SUB x 2", "A PUB x 1\r\nx", "A PUB y 1\r\nx");
        }

        yield return new OracleCase("a user and then nobody", """A CONNECT {"user":"a","pass":"b"}""", "A CONNECT {}", "A SUB y 1", "A PUB y 1\r\nx");
    }

    private static IEnumerable<OracleCase> Permissions()
    {
        foreach (string subject in new[] { "x", "dp", "dp.1", "dp.1.2", "dp.", "dp.*", "dp.>", "ds", "x..y", "\"x", "\\x", "caf\u00e9", "\u0001\u007f" })
        {
            yield return new OracleCase($"PUB {QuotedName(subject)} by default", As('A', "d"), $"A PUB {subject} 1\r\nx", $"A PUB {subject} reply 1\r\nx");
            yield return new OracleCase($"PUB {QuotedName(subject)}, verbose", """A CONNECT {"user":"d","pass":"d"}""", $"A PUB {subject} 1\r\nx");
        }

        foreach (string filter in new[] { "x", "ds", "ds.>", "ds.*", "ds.no.1", "ds.no.*", "ds.no.>", "ds.no", ">", "*", "ds.*.x", "a..b", "x q", "ds q", "ds.no.1 q", "\"x", "\u0001 \u007f" })
        {
            yield return new OracleCase($"SUB {QuotedName(filter)} by default", As('A', "d"), $"A SUB {filter} 1");
            yield return new OracleCase($"SUB {QuotedName(filter)}, verbose", """A CONNECT {"user":"d","pass":"d"}""", $"A SUB {filter} 1");
        }

        foreach (string filter in new[] { "foo", "foo q", "foo v1", "foo v1.2", "foo v1.2.3", "foo x.dev", "foo x.prod", "only", "only qq", "only q", "bar", "bar v1", "baz", "foo *.dev", "foo v1.>" })
        {
            yield return new OracleCase($"SUB {filter} where queues are named", As('A', "q"), $"A SUB {filter} 1");
        }

        foreach (string filter in new[] { "q.a", "q.a bad", "q.a good", "q.b", "q.b bad", "q.b good", "q.* bad", "q.> good", "no", "no q", "no.x", "no.>", "*.x", ">" })
        {
            yield return new OracleCase($"SUB {filter} where queues are denied", As('A', "p"), $"A SUB {filter} 1");
        }

        foreach (string filter in new[] { ">", "*.*", "a.*", "a.>", "*.b", "*.c.*", "*.*.d", "a.c.>", "a.* q", "> q" })
        {
            yield return new OracleCase($"SUB {filter} over what is denied", As('A', "m"), As('B', "m"), $"A SUB {filter} 1", "B PUB a.b 1\r\nx", "B PUB a.c 1\r\nx", "B PUB a.c.d 1\r\nx", "B PUB a.c.e 1\r\nx");
        }

        foreach (string reply in new[] { "_R_.x", "_R_", "_R_x", "_GR_.x", "$JS.ACK.x", "$JS.ACK", "$JS.x.y", "_INBOX.x", "$SYS.x", "$GR.x" })
        {
            yield return new OracleCase($"PUB with reply {reply}", As('A', "m"), "A SUB dp 1", $"A PUB dp {reply} 1\r\nx");
            yield return new OracleCase($"PUB to {reply}", As('A', "m"), "A SUB > 1", $"A PUB {reply} 1\r\nx");
        }

        foreach (string who in new[] { "d", "p", "r", "m", "w" })
        {
            yield return new OracleCase($"SUB of no filter by {who}", As('A', who), "A SUB a.>.b 1", "A SUB ds.>.x 2", "A SUB >.a 3", "A SUB no.>.a 4", "A SUB a.>.> q 5", "A SUB a..b 6", "A SUB ds 7", "A SUB ds.>.x 7");
        }

        yield return new OracleCase("only * allowed and > subscribed", As('A', "w"), "A SUB > 1");
        yield return new OracleCase("$SYS of one's own", As('A', "m"), "A SUB $SYS.> 1", "A PUB $SYS.x 1\r\nx");
        yield return new OracleCase("PUB of what is denied", As('A', "p"), "A SUB > 1", "A PUB no 1\r\nx", "A PUB no.x r 1\r\nx", "A PUB yes 1\r\nx", "A PUB no 1\r\nx", "A PUB yes 1\r\nx");
        yield return new OracleCase("headers before permissions", As('A', "d"), "A HPUB dp 12 12\r\nNATS/1.0\r\n\r\n");
        yield return new OracleCase("a second CONNECT with less", As('A', "m"), As('A', "d"), "A SUB x 1", "A PUB x 1\r\nx", "A PUB dp 1\r\nx");
        yield return new OracleCase("a second CONNECT with more", As('A', "d"), "A PUB x 1\r\nx", As('A', "m"), "A SUB x 1", "A PUB x 1\r\nx");
        yield return new OracleCase("no leave to answer what was not asked", As('A', "r"), "A SUB svc.x 1", "A PUB other 1\r\nx");
        foreach (string who in new[] { "r", "t", "u" })
        {
            yield return new OracleCase($"{who} answers", As('A', who), As('B', "m"), "A SUB svc.x 1", "B SUB i.* 2", "B PUB svc.x i.1 1\r\nq", "A PUB i.1 1\r\n1", "A PUB i.1 1\r\n2", "A PUB i.1 1\r\n3", "A PUB i.2 1\r\n1",
                "B PUB svc.x i.1 1\r\nq", "B PUB svc.x i.1 1\r\nq", "A PUB i.1 1\r\n1", "A PUB i.1 1\r\n2");
        }

        yield return new OracleCase("leave to answer is above a deny", As('A', "r"), As('B', "m"), "A SUB svc.x 1", "B SUB den 2", "B PUB svc.x den 1\r\nq", "A PUB den 1\r\n1", "A PUB den 1\r\n2");
    }

    private static string QuotedName(string text) => string.Concat(text.Select(c => char.IsControl(c) ? $"<{(int)c}>" : c.ToString()));
}
