using Mono.Cecil;

namespace Broker.Structure.Tests;

public sealed class FolderTests
{
    private const string Here = "Broker.Structure.Tests";

    public static TheoryData<string> Names => Assemblies.Names;

    /// <summary>
    /// The types of a root folder that the folders below it may use. The public types of these two projects name each
    /// other, for example <c>Subscription.Connection</c> and <c>EventLoop.Group</c>, and their parts share one state.
    /// </summary>
    private static IReadOnlyDictionary<string, string[]> Hubs { get; } = new Dictionary<string, string[]>
    {
        ["Broker.Client"] = ["BrokerConnection", "ClientOptions"],
        ["Broker.Transport"] = ["Connection", "ConnectionHandler", "EventLoop", "EventLoopGroup"],
    };

    public static TheoryData<string, string> EachHub => [.. Hubs.SelectMany(p => p.Value.Select(hub => (p.Key, hub)))];

    [Theory]
    [MemberData(nameof(Names))]
    public void Folders_form_no_circles(string name)
    {
        string[] uses = [.. Circles(name, Hubs.GetValueOrDefault(name, []))];

        Assert.True(uses.Length == 0, string.Join('\n', uses));
    }

    [Theory]
    [MemberData(nameof(EachHub))]
    public void A_hub_that_folders_no_longer_use_is_not_listed(string name, string hub)
        => Assert.NotEmpty(Circles(name, [.. Hubs[name].Where(other => other != hub)]));

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

    [Theory]
    [MemberData(nameof(Names))]
    public void Only_Broker_NetMQ_refers_to_NetMQ(string name)
        => Assert.Equal(
            name == "Broker.NetMQ",
            Assemblies.Read(name).MainModule.AssemblyReferences.Any(static reference => reference.Name is "NetMQ" or "AsyncIO" or "NaCl"));

    // Client and Server sign and verify through a delegate and an interface, so that programs without keys need no such
    // library.
    [Theory]
    [MemberData(nameof(Names))]
    public void Only_the_package_of_cryptography_uses_a_library_for_it(string name)
    {
        IEnumerable<string> used = Assemblies.Read(name).MainModule.AssemblyReferences.Select(reference => reference.Name);

        Assert.Equal(name == "Broker.Cryptography", used.Contains("BouncyCastle.Cryptography"));
    }

    [Fact]
    public void The_graph_reads_uses_from_code_signatures_and_fields()
    {
        var graph = new FolderGraph(Assemblies.Read("Broker.Server"), "Broker.Server");

        Assert.True(graph.Uses("Sessions", "Routing"));
        Assert.False(graph.Uses("Routing", "Sessions"));
    }

    [Fact]
    public void A_planted_circle_is_found_and_folders_outside_it_are_not_blamed()
    {
        var graph = new FolderGraph(Planted(), Here, static folder => folder.StartsWith("Planted", StringComparison.Ordinal));

        Assert.Equal(["Planted/Lower", "Planted/Upper"], Assert.Single(graph.Circles()));
        Assert.True(graph.Uses("Planted", "Planted/Upper"));
        Assert.Contains("Planted/Lower → Planted/Upper: PlantedEnd uses PlantedCaller", graph.Why(["Planted/Lower", "Planted/Upper"]));
    }

    [Fact]
    public void A_use_of_a_hub_joins_no_folders()
        => Assert.Empty(new FolderGraph(Planted(), Here, static folder => folder.StartsWith("Planted", StringComparison.Ordinal), ["PlantedCaller"]).Circles());

    [Fact]
    public void The_projects_own_folder_belongs_to_the_graph()
        => Assert.Contains(SourceFolders.Root, new FolderGraph(Assemblies.Read("Broker.Server"), "Broker.Server").Folders);

    private static IEnumerable<string> Circles(string name, string[] hubs)
    {
        var graph = new FolderGraph(Assemblies.Read(name), name, hubs: hubs);
        return graph.Circles().SelectMany(graph.Why);
    }

    private static AssemblyDefinition Planted() => AssemblyDefinition.ReadAssembly(typeof(FolderTests).Assembly.Location);
}
