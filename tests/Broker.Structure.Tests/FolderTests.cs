using Mono.Cecil;

namespace Broker.Structure.Tests;

public sealed class FolderTests
{
    private const string Here = "Broker.Structure.Tests";

    public static TheoryData<string> Names => Assemblies.Names;

    /// <summary>The projects whose root folder uses the folders below it and is used by none of them.</summary>
    public static TheoryData<string> WithRoot =>
    [
        "Broker.AspNetCore", "Broker.Bridge", "Broker.Cli", "Broker.Cryptography", "Broker.Hosting", "Broker.Protocol", "Broker.Server",
        "Broker.Testing", "Broker.ZeroMq",
    ];

    [Theory]
    [MemberData(nameof(Names))]
    public void Folders_below_the_root_form_no_circles(string name)
        => AssertNoCircles(new FolderGraph(Assemblies.Read(name), name, static folder => folder != SourceFolders.Root));

    [Theory]
    [MemberData(nameof(WithRoot))]
    public void Folders_and_the_root_form_no_circles(string name) => AssertNoCircles(new FolderGraph(Assemblies.Read(name), name));

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
    public void The_projects_own_folder_belongs_to_the_graph()
        => Assert.Contains(SourceFolders.Root, new FolderGraph(Assemblies.Read("Broker.Server"), "Broker.Server").Folders);

    private static void AssertNoCircles(FolderGraph graph)
    {
        string[] uses = [.. graph.Circles().SelectMany(graph.Why)];
        Assert.True(uses.Length == 0, string.Join('\n', uses));
    }

    private static AssemblyDefinition Planted() => AssemblyDefinition.ReadAssembly(typeof(FolderTests).Assembly.Location);
}
