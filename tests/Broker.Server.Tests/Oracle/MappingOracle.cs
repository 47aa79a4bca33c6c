namespace Broker.Server.Tests.Oracle;

/// <summary>Both servers with the same subject mappings. The password of a user is its name.</summary>
public sealed class MappingOracle : OracleServer
{
    private const string Renamed = "in.{{wildcard(2)}}.$1";

    // Each mapping uses all wildcards of its source, as nats-server 2.9.10 requires.
    internal static readonly (string Source, string Destination)[] Mappings =
    [
        ("one", "two"), ("two", "three"), ("same", "same"),
        ("w.*", "wild.$1"), ("sw.*.*", "{{wildcard(2)}}.sw.{{Wildcard(1)}}"), ("twice.*", "$1.$1"),
        ("t.>", "tail.>"), ("tw.*.>", "$1.tail.>"),
        ("part.*.*", "p.{{partition(7,1,2)}}.{{partition(3,2)}}.$1.$2"), ("big.*", "p.{{Partition(2147483647,1)}}.$1"),
        ("split.*", "s.{{split(1,-)}}"), ("split2.*", "s.{{split(1,--)}}.e"),
        ("sfl.*", "s.{{splitfromleft(1,2)}}"), ("sfr.*", "s.{{SplitFromRight(1,2)}}"),
        ("slfl.*", "s.{{SliceFromLeft(1,2)}}"), ("slfr.*", "s.{{slicefromright(1,2)}}"),
        ("lost", ""), ("asked.*", "answer.$1"), ("_INBOX.*", "inbox.$1"),
        ("mayed", "denied"), ("denied2", "may"), ("toService.*", "lsvc.$1"),
    ];

    private protected override string? Config => $$"""
        accounts {
          A {
            users: [ { user: a, password: a }, { user: l, password: l, permissions: { publish: ["mayed", "may"] } } ]
            mappings { {{string.Join('\n', Mappings.Select(m => m.Destination.Length == 0 ? $"\"{m.Source}\": [ {{ destination: \"{m.Source}\", weight: 0% }} ]" : $"\"{m.Source}\": \"{m.Destination}\""))}}
            }
            imports: [ { service: { account: B, subject: "svc.*" }, to: "lsvc.*" }, { stream: { account: B, subject: "out.*.*" }, to: "{{Renamed}}" } ]
          }
          B {
            users: [ { user: b, password: b } ]
            exports: [ { service: "svc.*" }, { stream: "out.*.*" } ]
            mappings { "svc.*": "inner.$1" }
          }
        }
        """;

    private protected override void Configure(BrokerServerOptions options) => options.Accounts =
    [
        new AccountOptions("A")
        {
            Users = [new User("a", "a"), new User("l", "l", new Permissions { Publish = SubjectPermissions.Only("mayed", "may") })],
            Mappings =
            [
                .. Mappings.Select(m => m.Destination.Length == 0
                    ? new SubjectMapping(m.Source, [new MappingDestination(m.Source, 0)])
                    : new SubjectMapping(m.Source, m.Destination)),
            ],
            Imports = [new ServiceImport("B", "svc.*") { To = "lsvc.*" }, new StreamImport("B", "out.*.*") { To = Renamed }],
        },
        new AccountOptions("B")
        {
            Users = [new User("b", "b")],
            Exports = [new ServiceExport("svc.*"), new StreamExport("out.*.*")],
            Mappings = [new SubjectMapping("svc.*", "inner.$1")],
        },
    ];
}
