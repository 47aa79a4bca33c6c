using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Broker.Structure.Tests;

/// <summary>
/// The examples in the documentation of each package, which an editor shows beside a member. Broker.Client has tests of
/// its own.
/// </summary>
public sealed class ExampleTests
{
    // The members that a newcomer uses first.
    private static readonly Dictionary<string, string[]> UsedFirst = new(StringComparer.Ordinal)
    {
        ["Broker.Protocol"] = ["T:HeaderBlock"],
        ["Broker.Transport"] = ["T:EventLoopGroup"],
        ["Broker.Server"] = ["T:BrokerServer", "T:BrokerServerOptions", "M:BrokerServer.CreateDialer"],
        ["Broker.Client.Streams"] =
        [
            "M:StreamsConnectionExtensions.Streams", "M:StreamsClient.PublishAsync", "M:StreamsClient.CreateStreamAsync", "M:StreamsClient.CreateConsumerAsync",
            "M:StreamsClient.ReadOrderedAsync", "M:StreamsClient.CreateBucketAsync", "M:StreamsClient.CreateObjectStoreAsync",
        ],
        ["Broker.Streams"] = ["T:ServerStreams"],
        ["Broker.ZeroMq"] =
        [
            "T:PushSocket", "T:PullSocket", "T:PublisherSocket", "T:SubscriberSocket", "T:RequestSocket", "T:ResponseSocket", "T:RouterSocket", "T:DealerSocket",
            "T:ZeroMqPoller", "T:ZeroMqProxy",
        ],
        ["Broker.NetMQ.Compatibility"] = ["T:NetMQ.Sockets.RequestSocket", "T:NetMQ.Sockets.ResponseSocket"],
        ["Broker.Bridge"] = ["T:ZeroMqBridge", "T:PubSubRouteOptions", "T:PushPullRouteOptions"],
        ["Broker.Hosting"] = [],
        ["Broker.NetMQ"] = ["T:NetMQBridgeExtensions"],
        ["Broker.Aspire"] = [],
        ["Broker.AspNetCore"] = ["T:RecentLog"],
        ["Broker.Testing"] = ["T:TestBroker"],
        ["Broker.Cryptography"] = ["T:UserCredentials"],
        ["Broker.Leaf"] = ["T:LeafNodes"],
    };

    private static readonly string[] Files = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Packages => [.. Assemblies.MayUse.Keys.Where(Assemblies.IsPackage).Where(static name => name != "Broker.Client")];

    [Theory]
    [MemberData(nameof(Packages))]
    public void The_members_of_a_package_that_are_used_first_have_examples(string package)
    {
        string[] shown = [.. Examples(package).Select(static example => example.Member)];

        Assert.NotEmpty(shown);
        Assert.All(UsedFirst[package], member => Assert.Contains(member, shown));
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void Each_example_of_a_package_compiles(string package)
    {
        Assert.Empty(Examples(package).SelectMany(example => Compile(package, example.Code)
            .Where(static d => d.Severity == DiagnosticSeverity.Error).Select(d => $"{example.Member}: {d.GetMessage(null)}\n{example.Code}")));
        Assert.Contains(Compile(package, "nothing.OfThisKind();"), static d => d.Severity == DiagnosticSeverity.Error);
    }

    private static IEnumerable<Diagnostic> Compile(string package, string code)
    {
        // NetMQ and its replacement have types of the same names.
        string[] excluded = package == "Broker.NetMQ.Compatibility" ? ["NetMQ", "Broker.NetMQ"] : ["Broker.NetMQ.Compatibility"];
        MetadataReference[] references =
        [
            .. Files.Where(file => !excluded.Contains(Path.GetFileNameWithoutExtension(file), StringComparer.Ordinal)).Select(static file => MetadataReference.CreateFromFile(file)),
        ];
        return CSharpCompilation.Create(
            "Example", [CSharpSyntaxTree.ParseText(Program(package, code), cancellationToken: Token)], references,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
            .GetDiagnostics(Token);
    }

    private static string Program(string package, string code)
    {
        string[] namespaces = package switch
        {
            "Broker.NetMQ" => ["NetMQ", "NetMQ.Sockets", "Broker.NetMQ", "Broker.Bridge"],
            "Broker.NetMQ.Compatibility" => ["NetMQ", "NetMQ.Sockets"],
            "Broker.ZeroMq" => ["Broker.ZeroMq"],
            "Broker.Aspire" => ["Aspire.Hosting", "Aspire.Hosting.ApplicationModel"],
            _ =>
            [
                "Broker.Server", "Broker.Client", "Broker.Client.Streams", "Broker.Bridge", "Broker.Streams", "Broker.Leaf", "Broker.Transport", "Broker.Protocol",
                "Broker.Cryptography", "Broker.Testing", "Broker.AspNetCore", "Microsoft.AspNetCore.Builder", "Microsoft.Extensions.DependencyInjection",
                "Microsoft.Extensions.Logging",
            ],
        };
        return $$"""
            using System;
            using System.IO;
            using System.Threading;
            using System.Threading.Tasks;
            {{string.Concat(namespaces.Select(static name => $"using {name};\n"))}}
            namespace Projects
            {
                {{(package == "Broker.Aspire" ? "public sealed class Worker : IProjectMetadata { public string ProjectPath => \"\"; }" : "")}}
            }

            public sealed class Example
            {
                {{Context(package)}}
                private readonly CancellationToken cancellationToken;

                public async Task RunAsync()
                {
                    {{code}}
                }
            }
            """;
    }

    // The objects that the examples of a package use and do not create.
    private static string Context(string package) => package switch
    {
        "Broker.ZeroMq" => "private readonly PullSocket pull = null!;",
        "Broker.NetMQ.Compatibility" => "",
        "Broker.NetMQ" => "private readonly ZeroMqBridge bridge = null!;",
        "Broker.Aspire" => "private readonly IDistributedApplicationBuilder builder = null!;",
        _ => """
            private readonly BrokerServer server = null!;
            private readonly BrokerConnection nats = null!;
            private readonly StreamsClient streams = null!;
            private readonly WebApplicationBuilder builder = null!;
            private readonly WebApplication application = null!;
            """,
    };

    // The member without the namespace of the package and without its parameters, such as M:BrokerServer.CreateDialer.
    private static IEnumerable<(string Member, string Code)> Examples(string package)
    {
        var documentation = XDocument.Load(Path.Combine(AppContext.BaseDirectory, package + ".xml"));
        return from member in documentation.Descendants("member")
               from example in member.Elements("example")
               let name = member.Attribute("name")!.Value.Replace(package + ".", "", StringComparison.Ordinal)
               select (name.Split('(')[0].Split("``")[0], example.Element("code")!.Value);
    }
}
