using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;

namespace Broker.Packages.Tests;

/// <summary>Packs the packages from the tests' build into a folder, from which new projects restore them.</summary>
public sealed class PackedPackages : IAsyncLifetime
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("packages-");

    /// <summary>A unique version, so that a cached package of an earlier run is not used.</summary>
    public string Version { get; } = string.Create(CultureInfo.InvariantCulture, $"0.0.1-test{RandomNumberGenerator.GetInt32(int.MaxValue)}");

    public string Folder => Path.Combine(_folder.FullName, "packages");

    public async ValueTask InitializeAsync()
    {
        await RunAsync(
            Repository.Root, "pack", "Broker.sln", "-c", Repository.Configuration, "--no-build", "-v", "quiet", "--nologo", "-nodeReuse:false",
            $"-p:PackageVersion={Version}", "-p:RepositoryUrl=https://example.org/broker.git", "-o", Folder);
        // The repository's restored packages are available without a network. A separate cache keeps these packages out
        // of the user's cache.
        string machine = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        await File.WriteAllTextAsync(
            Path.Combine(_folder.FullName, "nuget.config"),
            $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="{Path.Combine(_folder.FullName, "cache")}" /></config>
              <packageSources><add key="packed" value="{Folder}" /></packageSources>
              <fallbackPackageFolders><add key="machine" value="{machine}" /></fallbackPackageFolders>
            </configuration>
            """,
            TestContext.Current.CancellationToken);
    }

    /// <summary>Creates and builds a project outside the repository. Returns the program's path.</summary>
    public Task<string> BuildAsync(string name, string sdk, string program, params string[] packages)
        => BuildAsync(name, sdk, new Dictionary<string, string> { ["Program.cs"] = program }, packages);

    /// <summary>Creates and builds a project with several files. Returns the program's path.</summary>
    public async Task<string> BuildAsync(string name, string sdk, IReadOnlyDictionary<string, string> files, params string[] packages)
    {
        string folder = await MakeAsync(name, sdk, "", files, packages);
        await RunAsync(folder, "build", "-c", "Release", "-v", "quiet", "--nologo", "-nodeReuse:false", "-o", Path.Combine(folder, "out"));
        return Path.Combine(folder, "out", name + ".dll");
    }

    /// <summary>
    /// Creates a project and publishes it trimmed for this machine. A warning of the trimmer is an error. Returns the
    /// executable's path.
    /// </summary>
    public async Task<string> PublishTrimmedAsync(string name, string sdk, string program, params string[] packages)
    {
        // First the build's analyzers, then the trimmer. Each warning is shown, whatever its assembly is.
        const string Trimmed = """
            <RuntimeIdentifier>linux-x64</RuntimeIdentifier>
                <SelfContained>true</SelfContained>
                <PublishTrimmed>true</PublishTrimmed>
                <TrimmerSingleWarn>false</TrimmerSingleWarn>
                <EnableAotAnalyzer>true</EnableAotAnalyzer>
                <InvariantGlobalization>true</InvariantGlobalization>
            """;
        string folder = await MakeAsync(name, sdk, Trimmed, new Dictionary<string, string> { ["Program.cs"] = program }, packages);
        await RunAsync(folder, "publish", "-c", "Release", "-v", "quiet", "--nologo", "-nodeReuse:false", "-o", Path.Combine(folder, "out"));
        return Path.Combine(folder, "out", name);
    }

    private async Task<string> MakeAsync(string name, string sdk, string properties, IReadOnlyDictionary<string, string> files, string[] packages)
    {
        DirectoryInfo folder = _folder.CreateSubdirectory(name);
        string references = string.Join('\n', packages.Select(p => p.Split('/') is [var id, var version]
            ? $"<PackageReference Include=\"{id}\" Version=\"{version}\" />"
            : $"<PackageReference Include=\"{p}\" Version=\"{Version}\" />"));
        await File.WriteAllTextAsync(
            Path.Combine(folder.FullName, name + ".csproj"),
            $"""
            <Project Sdk="{sdk}">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <NuGetAudit>false</NuGetAudit>
                {properties}
              </PropertyGroup>
              <ItemGroup>
                {references}
              </ItemGroup>
            </Project>
            """,
            TestContext.Current.CancellationToken);
        foreach ((string file, string text) in files)
        {
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, file), text, TestContext.Current.CancellationToken);
        }

        return folder.FullName;
    }

    /// <summary>Installs the tool. Returns the program's path.</summary>
    public async Task<string> InstallToolAsync()
    {
        string tools = Path.Combine(_folder.FullName, "tools");
        await RunAsync(_folder.FullName, "tool", "install", "Broker.Cli", "--version", Version, "--tool-path", tools, "--add-source", Folder, "-v", "quiet");
        return Path.Combine(tools, OperatingSystem.IsWindows() ? "broker.exe" : "broker");
    }

    /// <summary>
    /// Installs the templates, creates a project from one, and builds it. Returns the program's path.
    /// </summary>
    public async Task<string> BuildTemplateAsync(string template, string name)
    {
        // Templates are installed per user. HOME is a temporary folder, so the installation ends with the test.
        (string, string) user = ("DOTNET_CLI_HOME", _folder.CreateSubdirectory($"user-{name}").FullName);
        await RunAsync(_folder.FullName, user, "new", "install", Path.Combine(Folder, $"Broker.Templates.{Version}.nupkg"));
        await RunAsync(_folder.FullName, user, "new", template, "-o", name);
        string project = Path.Combine(_folder.FullName, name);
        string output = Path.Combine(project, "out");
        await RunAsync(project, "build", "-c", "Release", "-v", "quiet", "--nologo", "-nodeReuse:false", "-warnaserror", "-p:NuGetAudit=false", "-o", output);
        return Path.Combine(output, name + ".dll");
    }

    /// <summary>
    /// Creates a project from a template of the SDK as it comes, adds packages to it, replaces its program, and builds
    /// it. Returns the program's path.
    /// </summary>
    public async Task<string> BuildSdkTemplateAsync(string template, string name, string program, params string[] added)
    {
        (string, string) user = ("DOTNET_CLI_HOME", _folder.CreateSubdirectory($"user-{name}").FullName);
        await RunAsync(_folder.FullName, user, "new", template, "-o", name, "--no-restore");
        string project = Path.Combine(_folder.FullName, name);
        foreach (string package in added)
        {
            await RunAsync(project, user, "add", "package", package, "--version", Version, "--no-restore");
        }

        await File.WriteAllTextAsync(Path.Combine(project, "Program.cs"), program, TestContext.Current.CancellationToken);
        string output = Path.Combine(project, "out");
        await RunAsync(project, "build", "-c", "Release", "-v", "quiet", "--nologo", "-nodeReuse:false", "-warnaserror", "-p:NuGetAudit=false", "-o", output);
        return Path.Combine(output, name + ".dll");
    }

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    private static Task RunAsync(string folder, params string[] arguments) => RunAsync(folder, null, arguments);

    private static async Task RunAsync(string folder, (string Name, string Value)? variable, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        };
        // A compiler server would keep the output open. Variables of the test runner must not reach the program.
        start.Environment["UseSharedCompilation"] = "false";
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        start.Environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
        start.Environment["DOTNET_NOLOGO"] = "1";
        start.Environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        if (variable is var (name, value))
        {
            start.Environment[name] = value;
        }

        start.Environment.Remove("MSBuildSDKsPath");
        start.Environment.Remove("MSBUILD_EXE_PATH");
        using Process process = Process.Start(start)!;
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        try
        {
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }

        Assert.True(process.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}\n{await output}{await errors}");
    }
}
