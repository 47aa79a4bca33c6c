namespace Broker.Aspire.Tests;

/// <summary>Tests the search for the command of a resource.</summary>
public sealed class ProgramTests : IDisposable
{
    private const string Manifest = """{ "version": 1, "isRoot": true, "tools": { "Broker.Cli": { "version": "1.0.0", "commands": [ "broker" ] } } }""";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("aspire-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_path_is_relative_to_the_folder_of_the_app_host()
    {
        string file = Write("tools/broker");

        var found = BrokerProgram.Find("tools/broker", _folder.FullName, []);

        Assert.Equal((file, 0, null), (found.Command, found.Arguments.Length, found.Problem));
    }

    [Fact]
    public void An_assembly_is_started_by_dotnet()
    {
        string file = Write("broker.dll");

        var found = BrokerProgram.Find("broker.dll", _folder.FullName, []);

        Assert.Equal(("dotnet", null), (found.Command, found.Problem));
        Assert.Equal([file], found.Arguments);
    }

    [Fact]
    public void A_name_is_searched_in_the_path()
    {
        string file = Write("path/my-broker");

        Assert.Equal(file, BrokerProgram.Find("my-broker", "/", ["/no/such/folder", Path.Combine(_folder.FullName, "path")]).Command);
    }

    [Theory]
    [InlineData(".config/dotnet-tools.json")]
    [InlineData("dotnet-tools.json")]
    public void A_tool_of_a_manifest_above_the_app_host_comes_before_the_path(string manifest)
    {
        Write(manifest, Manifest);
        Write("path/broker");
        string host = _folder.CreateSubdirectory("src/host").FullName;

        var found = BrokerProgram.Find(null, host, [Path.Combine(_folder.FullName, "path")]);

        Assert.Equal(("dotnet", null), (found.Command, found.Problem));
        Assert.Equal(["tool", "run", "broker", "--"], found.Arguments);
    }

    [Theory]
    [InlineData("""{ "version": 1, "tools": { "other": { "version": "1.0.0", "commands": [ "other" ] } } }""")]
    [InlineData("no JSON")]
    [InlineData("[]")]
    public void A_manifest_without_the_tool_does_not_count(string manifest)
    {
        Write("dotnet-tools.json", manifest);
        string file = Write("path/broker");

        Assert.Equal(file, BrokerProgram.Find(null, _folder.FullName, [Path.Combine(_folder.FullName, "path")]).Command);
    }

    [Fact]
    public void A_command_that_is_nowhere_is_a_problem_that_says_how_to_install_it()
    {
        string problem = BrokerProgram.Find(null, _folder.FullName, []).Problem!;

        Assert.Contains(_folder.FullName, problem, StringComparison.Ordinal);
        Assert.Contains("dotnet tool install --global Broker.Cli", problem, StringComparison.Ordinal);
        Assert.Contains("Broker:Command", problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("tools/broker", "the file {folder}tools/broker does not exist.")]
    [InlineData("broker.dll", "the file {folder}broker.dll does not exist.")]
    [InlineData("broker-2", "the command 'broker-2' is not in the PATH.")]
    public void A_given_command_that_does_not_exist_is_a_problem_that_names_it(string command, string problem)
    {
        string folder = _folder.FullName + Path.DirectorySeparatorChar;

        Assert.Equal(
            problem.Replace("{folder}", folder, StringComparison.Ordinal).Replace('/', Path.DirectorySeparatorChar),
            BrokerProgram.Find(command, _folder.FullName, []).Problem);
    }

    private string Write(string path, string text = "")
    {
        string file = Path.Combine(_folder.FullName, path.Replace('/', Path.DirectorySeparatorChar));
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
        return file;
    }
}
