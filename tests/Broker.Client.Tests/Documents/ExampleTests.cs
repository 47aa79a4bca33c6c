using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Broker.Client.Tests.Documents;

/// <summary>The examples in the documentation of the public members.</summary>
public sealed class ExampleTests
{
    // The members that a newcomer uses first.
    private static readonly string[] UsedFirst =
    [
        "T:ClientOptions", "T:MessageHeaders", "T:ReceivedHeaders", "T:EncodedConnection", "T:JsonEncoder", "T:TextEncoder",
        "M:BrokerConnection.ConnectAsync", "M:BrokerConnection.ConnectInBackground", "M:BrokerConnection.Publish", "M:BrokerConnection.PublishAsync",
        "M:BrokerConnection.Subscribe", "M:BrokerConnection.SubscribeQueued", "M:BrokerConnection.ReadAsync", "M:BrokerConnection.Request",
        "M:BrokerConnection.RequestAsync", "M:BrokerConnection.RequestManyAsync", "M:BrokerConnection.GatherAsync", "M:BrokerConnection.FlushAsync",
        "M:BrokerConnection.PingAsync", "M:BrokerConnection.DrainAsync", "M:BrokerConnection.ReconnectAsync", "M:BrokerConnection.WithEncoder",
        "M:Message.Respond", "P:Message.Text", "P:QueueOptions.IdleTimeout",
    ];

    private static readonly MetadataReference[] References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(static file => MetadataReference.CreateFromFile(file)),
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void The_members_that_are_used_first_have_examples()
    {
        string[] shown = [.. Examples().Select(static e => e.Member)];
        Assert.All(UsedFirst, member => Assert.Contains(member, shown));
    }

    [Fact]
    public void Each_example_compiles()
    {
        string[] errors =
        [
            .. Examples().SelectMany(static example => Compile(example.Code)
                .Where(static d => d.Severity == DiagnosticSeverity.Error).Select(d => $"{example.Member}: {d.GetMessage(null)}\n{example.Code}")),
        ];
        Assert.Empty(errors);
        Assert.Contains(Compile("nats.Publish(1, 2);"), static d => d.Severity == DiagnosticSeverity.Error);
    }

    private static IEnumerable<Diagnostic> Compile(string code)
    {
        string program = $$"""
            using System;
            using System.Collections.Generic;
            using System.IO;
            using System.Linq;
            using System.Threading;
            using System.Threading.Tasks;
            using Broker.Client;

            public sealed record Order(string Article, int Pieces);

            public static class OrdersJson
            {
                public static System.Text.Json.Serialization.JsonSerializerContext Default => null!;
            }

            public sealed class Example
            {
                private readonly BrokerConnection nats = null!;
                private readonly EncodedConnection orders = null!;

                public async Task RunAsync()
                {
                    {{code}}
                }
            }
            """;
        return CSharpCompilation.Create(
            "Example", [CSharpSyntaxTree.ParseText(program, cancellationToken: Token)], References,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
            .GetDiagnostics(Token);
    }

    // The member without its namespace and its parameters, such as M:BrokerConnection.Publish.
    private static IEnumerable<(string Member, string Code)> Examples()
    {
        var documentation = XDocument.Load(Path.ChangeExtension(typeof(BrokerConnection).Assembly.Location, ".xml"));
        return from member in documentation.Descendants("member")
               from example in member.Elements("example")
               let name = member.Attribute("name")!.Value.Replace("Broker.Client.", "", StringComparison.Ordinal)
               select (name.Split('(')[0].Split("``")[0], example.Element("code")!.Value);
    }
}
