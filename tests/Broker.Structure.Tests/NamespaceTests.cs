using Mono.Cecil;

namespace Broker.Structure.Tests;

public sealed class NamespaceTests
{
    public static TheoryData<string> Names => Assemblies.Names;

    /// <summary>
    /// The root namespace is the front of an assembly: options, the server, the log. It knows all others and they know its options, so
    /// it is left out; what stands below it has an order.
    /// </summary>
    [Theory]
    [MemberData(nameof(Names))]
    public void Namespaces_below_the_root_form_no_circles(string name)
    {
        var graph = new NamespaceGraph(Assemblies.Read(name), without: name);

        string[] arrows = [.. graph.Circles().SelectMany(graph.Why)];
        Assert.True(arrows.Length == 0, string.Join('\n', arrows));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_project_uses_only_those_below_it(string name)
    {
        AssemblyDefinition assembly = Assemblies.Read(name);

        IEnumerable<string> used = assembly.MainModule.AssemblyReferences
            .Select(reference => reference.Name)
            .Where(reference => reference.StartsWith(Assemblies.Prefix, StringComparison.Ordinal));

        Assert.Empty(used.Except(Assemblies.MayUse[name]));
    }

    [Fact]
    public void The_graph_sees_what_code_signatures_and_fields_use()
    {
        // The server's sessions route: were this arrow not seen, no circle would be.
        var graph = new NamespaceGraph(Assemblies.Read("Broker.Server"), without: "Broker.Server");

        Assert.True(graph.Uses("Broker.Server.Sessions", "Broker.Server.Routing"));
        Assert.False(graph.Uses("Broker.Server.Routing", "Broker.Server.Monitoring.Nothing"));
    }
}
