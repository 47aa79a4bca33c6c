namespace Broker.TestKit;

/// <summary>The working copy of the repository that the tests run in.</summary>
public static class Repository
{
    /// <summary>The root folder of the working copy, above the output folder of the tests.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The build configuration of the tests: <c>Release</c> or <c>Debug</c>.</summary>
    public static string Configuration { get; } = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    /// <summary>The path of a built sample, to be run by <c>dotnet</c>.</summary>
    public static string Sample(string name) => Path.Combine(Root, "samples", name, "bin", Configuration, "net10.0", name + ".dll");

    /// <summary>The path of a built program of the tests that is not a suite, to be run by <c>dotnet</c>.</summary>
    public static string TestProgram(string name) => Path.Combine(Root, "tests", name, "bin", Configuration, "net10.0", name + ".dll");

    private static string FindRoot()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Broker.sln")))
        {
            folder = folder.Parent;
        }

        return folder?.FullName ?? throw new InvalidOperationException("The tests run outside the repository.");
    }
}
