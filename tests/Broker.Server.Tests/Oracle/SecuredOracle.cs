namespace Broker.Server.Tests.Oracle;

/// <summary>Both servers with the same users and permissions.</summary>
internal sealed class SecuredOracle(string config, Action<BrokerServerOptions> configure) : OracleServer
{
    // No case depends on time, so the timeouts are long.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(60);

    internal static IReadOnlyDictionary<string, (string Config, Action<BrokerServerOptions> Configure)> Kinds { get; } =
        new Dictionary<string, (string, Action<BrokerServerOptions>)>(StringComparer.Ordinal)
        {
            ["token"] = ("authorization { timeout: 60\n token: s3cret }", o =>
            {
                o.AuthTimeout = WaitLimit;
                o.Token = "s3cret";
            }
            ),
            ["users"] = ("authorization { timeout: 60\n users: [ { user: a, password: b }, { user: c, password: d } ] }", o =>
            {
                o.AuthTimeout = WaitLimit;
                o.Users = [new User("a", "b"), new User("c", "d")];
            }
            ),
            ["no auth user"] = ("""
                authorization { timeout: 60, users: [ { user: a, password: b }, { user: g, password: h, permissions: { publish: "x", subscribe: "x" } } ] }
                no_auth_user: g
                """, o =>
            {
                o.AuthTimeout = WaitLimit;
                o.Users = [new User("a", "b"), new User("g", "h", new Permissions { Publish = SubjectPermissions.Only("x"), Subscribe = SubjectPermissions.Only("x") })];
                o.NoAuthUser = "g";
            }
            ),
            ["limits"] = ("""
                max_sub_tokens: 3
                authorization { timeout: 60 }
                accounts {
                  A { users: [ { user: a, password: a, allowed_connection_types: [STANDARD] }, { user: w, password: w, allowed_connection_types: [WEBSOCKET, MQTT] } ], limits { max_connections: 1, max_subs: 2, max_payload: 5 } }
                  B { users: [ { user: b, password: b } ], limits { max_connections: 0 } }
                  C { users: [ { user: c, password: c, allowed_connection_types: [] } ], limits { max_connections: -1, max_subs: -1, max_payload: -1 } }
                }
                """, o =>
            {
                o.AuthTimeout = WaitLimit;
                o.MaxSubscriptionTokens = 3;
                o.Accounts =
                [
                    new AccountOptions("A")
                    {
                        Users =
                        [
                            new User("a", "a").OnlyBy(ClientTransport.Socket),
                            new User("w", "w").OnlyBy(ClientTransport.WebSocket),
                        ],
                        MaxConnections = 1,
                        MaxSubscriptions = 2,
                        MaxPayload = 5,
                    },
                    new AccountOptions("B") { Users = [new User("b", "b")], MaxConnections = 0 },
                    new AccountOptions("C") { Users = [new User("c", "c")] },
                ];
            }
            ),
            ["permissions"] = ("""
                authorization {
                  timeout: 60
                  default_permissions: { publish: [dp, "dp.*"], subscribe: { allow: [ds, "ds.>"], deny: "ds.no.*" } }
                  users: [
                    { user: d, password: d },
                    { user: p, password: p, permissions: { publish: { allow: ">", deny: ["no", "no.>"] }, subscribe: { allow: [">"], deny: ["no", "no.>", "q.a bad", "q.b"] } } },
                    { user: q, password: q, permissions: { subscribe: { allow: ["foo", "foo v1", "foo v1.>", "foo *.dev", "only qq"], deny: ["bar"] } } },
                    { user: r, password: r, permissions: { subscribe: ["svc.>", ">"], publish: { deny: "den" }, allow_responses: true } },
                    { user: t, password: t, permissions: { subscribe: ["svc.>"], allow_responses: { max: 2 } } },
                    { user: u, password: u, permissions: { subscribe: ["svc.>"], allow_responses: { max: -1 } } },
                    { user: w, password: w, permissions: { subscribe: "*" } },
                    { user: m, password: m, permissions: { subscribe: { deny: ["a.b", "*.c.d"] }, publish: [">"] } } ] }
                """, o =>
            {
                o.AuthTimeout = WaitLimit;
                o.DefaultPermissions = new Permissions
                {
                    Publish = SubjectPermissions.Only("dp", "dp.*"),
                    Subscribe = new SubjectPermissions { Allow = ["ds", "ds.>"], Deny = ["ds.no.*"] },
                };
                o.Users =
                [
                    new User("d", "d"),
                    new User("p", "p", new Permissions
                    {
                        Publish = new SubjectPermissions { Allow = [">"], Deny = ["no", "no.>"] },
                        Subscribe = new SubjectPermissions { Allow = [">"], Deny = ["no", "no.>", "q.a bad", "q.b"] },
                    }),
                    new User("q", "q", new Permissions
                    {
                        Subscribe = new SubjectPermissions { Allow = ["foo", "foo v1", "foo v1.>", "foo *.dev", "only qq"], Deny = ["bar"] },
                    }),
                    new User("r", "r", new Permissions
                    {
                        Subscribe = SubjectPermissions.Only("svc.>", ">"),
                        Publish = SubjectPermissions.AllBut("den"),
                        Responses = new ResponsePermissions(),
                    }),
                    new User("t", "t", new Permissions { Subscribe = SubjectPermissions.Only("svc.>"), Responses = new ResponsePermissions { MaxMessages = 2 } }),
                    new User("u", "u", new Permissions { Subscribe = SubjectPermissions.Only("svc.>"), Responses = new ResponsePermissions { MaxMessages = -1 } }),
                    new User("w", "w", new Permissions { Subscribe = SubjectPermissions.Only("*") }),
                    new User("m", "m", new Permissions { Subscribe = SubjectPermissions.AllBut("a.b", "*.c.d"), Publish = SubjectPermissions.Only(">") }),
                ];
            }
            ),
        };

    private protected override string? Config => config;

    private protected override void Configure(BrokerServerOptions options) => configure(options);
}
