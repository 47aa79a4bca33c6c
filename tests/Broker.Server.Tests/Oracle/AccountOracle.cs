namespace Broker.Server.Tests.Oracle;

/// <summary>Both servers with the same accounts. The password of a user is its name.</summary>
public sealed class AccountOracle : OracleServer
{
    private protected override string? Config => """
        accounts {
          A {
            users: [ { user: a, password: a }, { user: a2, password: a2 }, { user: al, password: al, permissions: { subscribe: ["svc", "x.>"], allow_responses: true } } ]
            exports: [
              { stream: "x.>" }, { stream: "y.*.*" }, { stream: "q" }, { stream: "priv", accounts: [B] }
              { service: "svc" }, { service: "ws.*.*" }, { service: "st", response_type: stream }, { service: "ch", response_type: chunked }
            ]
          }
          B {
            users: [ { user: b, password: b }, { user: b2, password: b2 }, { user: bl, password: bl, permissions: { publish: ["lsvc"], subscribe: { allow: ["p.>", "in.*"], deny: ["p.x.no"] } } } ]
            exports: [ { stream: "p.x.>" }, { service: "lsvc" } ]
            imports: [
              { stream: { account: A, subject: "x.>" }, prefix: p }
              { stream: { account: A, subject: "y.*.*" }, to: "z.$2.$1" }
              { stream: { account: A, subject: "q" } }
              { stream: { account: A, subject: "priv" }, to: "lit.priv" }
              { service: { account: A, subject: "svc" }, to: "lsvc" }
              { service: { account: A, subject: "ws.*.*" }, to: "lw.$2.$1" }
              { service: { account: A, subject: "st" } }
              { service: { account: A, subject: "ch" } }
            ]
          }
          C {
            users: [ { user: c, password: c } ]
            imports: [ { stream: { account: B, subject: "p.x.>" } }, { service: { account: B, subject: "lsvc" }, to: "csvc" } ]
          }
        }
        """;

    private protected override void Configure(BrokerServerOptions options) => options.Accounts =
    [
        new AccountOptions("A")
        {
            Users =
            [
                new User("a", "a"), new User("a2", "a2"),
                new User("al", "al", new Permissions { Subscribe = SubjectPermissions.Only("svc", "x.>"), Responses = new ResponsePermissions() }),
            ],
            Exports =
            [
                new StreamExport("x.>"), new StreamExport("y.*.*"), new StreamExport("q"), new StreamExport("priv") { Accounts = ["B"] },
                new ServiceExport("svc"), new ServiceExport("ws.*.*"), new ServiceExport("st") { Response = ServiceResponse.Stream },
                new ServiceExport("ch") { Response = ServiceResponse.Chunked },
            ],
        },
        new AccountOptions("B")
        {
            Users =
            [
                new User("b", "b"), new User("b2", "b2"),
                new User("bl", "bl", new Permissions
                {
                    Publish = SubjectPermissions.Only("lsvc"),
                    Subscribe = new SubjectPermissions { Allow = ["p.>", "in.*"], Deny = ["p.x.no"] },
                }),
            ],
            Exports = [new StreamExport("p.x.>"), new ServiceExport("lsvc")],
            Imports =
            [
                new StreamImport("A", "x.>") { Prefix = "p" }, new StreamImport("A", "y.*.*") { To = "z.$2.$1" }, new StreamImport("A", "q"),
                new StreamImport("A", "priv") { To = "lit.priv" },
                new ServiceImport("A", "svc") { To = "lsvc" }, new ServiceImport("A", "ws.*.*") { To = "lw.$2.$1" }, new ServiceImport("A", "st"),
                new ServiceImport("A", "ch"),
            ],
        },
        new AccountOptions("C")
        {
            Users = [new User("c", "c")],
            Imports = [new StreamImport("B", "p.x.>"), new ServiceImport("B", "lsvc") { To = "csvc" }],
        },
    ];
}
