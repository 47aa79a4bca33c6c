namespace Broker.Structure.Tests;

/// <summary>
/// What each package shows is chosen: <c>eng/api/</c> has the listing, and a change of it is a change of that file.
/// Run with <c>BROKER_WRITE_API=true</c> to write the files anew, and look at the difference before it is committed.
/// </summary>
public sealed class PublicApiTests
{
    private static readonly string Folder = Path.Combine(Repository.Root, "eng", "api");

    public static TheoryData<string> Libraries => Assemblies.Libraries;

    [Theory]
    [MemberData(nameof(Libraries))]
    public void A_package_shows_what_its_listing_says(string name)
    {
        string file = Path.Combine(Folder, name + ".txt");
        string actual = PublicApi.ListingOf(Assemblies.Read(name));
        if (Environment.GetEnvironmentVariable("BROKER_WRITE_API") == "true")
        {
            File.WriteAllText(file, actual);
        }

        string expected = File.Exists(file) ? File.ReadAllText(file).ReplaceLineEndings("\n") : "";

        Assert.Equal(expected.Split('\n'), actual.Split('\n'));
    }

    [Fact]
    public void The_command_shows_nothing_to_other_programs()
        => Assert.Equal(["Program"], PublicApi.TypesOf(Assemblies.Read("Broker.Cli")));
}
