using System.Text.Json;
using Mono.Cecil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

/// <summary>
/// The compiler compares the public API of each package with its record, <c>PublicAPI.Shipped.txt</c> and
/// <c>PublicAPI.Unshipped.txt</c> (PublicApiAnalyzers). These tests check that it does so for every package.
/// </summary>
public sealed class PublicApiTests
{
    public static TheoryData<string> Libraries => Assemblies.Libraries;

    // Without the file Directory.Build.props does not add the analyzer. Without the first line nullability is not
    // recorded.
    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_package_has_a_record_of_its_public_API_with_nullability(string name)
    {
        string[] shipped = File.ReadAllLines(Path.Combine(Repository.Root, "src", name, "PublicAPI.Shipped.txt"));
        string[] unshipped = File.ReadAllLines(Path.Combine(Repository.Root, "src", name, "PublicAPI.Unshipped.txt"));

        Assert.Equal("#nullable enable", shipped[0]);
        Assert.Equal("#nullable enable", unshipped[0]);
        Assert.All(PublicTypes(name).Where(static type => type.GenericParameters.Count == 0), type => Assert.Contains(type.FullName, shipped.Concat(unshipped)));
    }

    [Fact]
    public void Each_package_is_renewed_by_the_command_that_renews_the_records()
    {
        using var filter = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Repository.Root, "eng", "packages.slnf")));
        IEnumerable<string?> projects = filter.RootElement.GetProperty("solution").GetProperty("projects").EnumerateArray().Select(static p => Path.GetFileNameWithoutExtension(p.GetString()));

        Assert.Equal(Assemblies.MayUse.Keys.Where(Assemblies.IsPackage).Order(StringComparer.Ordinal), projects);
    }

    [Fact]
    public void The_command_shows_nothing_to_other_programs()
        => Assert.Equal(["Program"], PublicTypes("Broker.Cli").Select(static type => type.Name));

    // Nested types have another form in the record.
    private static IEnumerable<TypeDefinition> PublicTypes(string name)
        => Assemblies.Read(name).MainModule.GetAllTypes().Where(static type => type is { IsPublic: true, IsNested: false });
}
