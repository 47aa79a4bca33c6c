using System.Globalization;
using System.Text.RegularExpressions;

namespace Broker.Packages.Tests;

// The pages of the packages: a user pastes their code into a new project.
public sealed partial class PackageTests
{
    [Fact]
    public async Task What_the_page_of_a_package_shows_compiles_with_the_usings_it_shows_and_does_what_it_says()
    {
        string[] libraries = LibrariesTogether;
        ILookup<bool, string> web = libraries.ToLookup(IsOfTheWeb);
        int port = FreePort.Next();

        await packages.BuildAsync("web-pages", "Microsoft.NET.Sdk.Web", Sources([.. web[true]], port), [.. web[true], "Broker.Hosting"]);
        await packages.BuildAsync("netmq-pages", "Microsoft.NET.Sdk", Sources(["Broker.NetMQ"], port), "Broker.NetMQ");
        await packages.BuildAsync("aspire-pages", "Microsoft.NET.Sdk", Sources(["Broker.Aspire"], port), "Broker.Aspire");
        string program = await packages.BuildAsync("pages", "Microsoft.NET.Sdk", Sources([.. web[false]], port), [.. web[false]]);

        await using var server = PeerProcess.Start("server", "dotnet", program, "Broker.Server 1");
        await server.ReadLineWithAsync($"nats://127.0.0.1:{port}");
        await using var client = PeerProcess.Start("client", "dotnet", program, "Broker.Client 1");
        await client.ReadLineWithAsync("weather.oslo");
        await server.WriteLineAsync("");
        Assert.True(await server.WaitForExitAsync() == 0, server.Errors);

        await using var sockets = PeerProcess.Start("sockets", "dotnet", program, "Broker.ZeroMq 1");
        Assert.Equal("hello", await sockets.ReadLineAsync());
        Assert.True(await sockets.WaitForExitAsync() == 0, sockets.Errors);

        await using var moved = PeerProcess.Start("moved", "dotnet", program, "Broker.NetMQ.Compatibility 1");
        Assert.Equal("hello", await moved.ReadLineAsync());
        Assert.Equal("world", await moved.ReadLineAsync());
        Assert.True(await moved.WaitForExitAsync() == 0, moved.Errors);
    }

    [Fact]
    public async Task A_project_with_NetMQ_and_its_replacement_does_not_build()
    {
        Exception failure = await Assert.ThrowsAnyAsync<Exception>(() => packages.BuildAsync(
            "both", "Microsoft.NET.Sdk", "System.Console.WriteLine();", "NetMQ/4.0.4.5", "Broker.NetMQ.Compatibility"));

        Assert.Contains("BRKNMQ001", failure.Message, StringComparison.Ordinal);
    }

    private static bool IsOfTheWeb(string library)
        => File.ReadAllText(Path.Combine(Repository.Root, "src", library, library + ".csproj")).Contains("Microsoft.AspNetCore.App", StringComparison.Ordinal);

    // Each code block becomes a file with its own usings, and its statements become a method. The program runs one
    // method.
    private static Dictionary<string, string> Sources(IReadOnlyCollection<string> libraries, int port)
    {
        var files = new Dictionary<string, string>();
        var choices = new List<string>();
        foreach (string library in libraries)
        {
            string page = File.ReadAllText(Path.Combine(Repository.Root, "src", library, "README.md"));
            string[] blocks = [.. CodeBlock().Matches(page).Select(m => m.Groups[1].Value.Replace("4222", port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal))];
            Assert.True(blocks.Length > 0, $"{library} shows no code");
            for (int i = 0; i < blocks.Length; i++)
            {
                string name = $"{library.Replace('.', '_')}_{i + 1}";
                string[] lines = blocks[i].Split('\n');
                int usings = lines.TakeWhile(static l => l.Length == 0 || UsingDirective().IsMatch(l)).Count();
                files[name + ".cs"] = $$"""
                    {{string.Join('\n', lines[..usings])}}
                    internal static class {{name}}
                    {
                        public static async Task RunAsync(string[] args)
                        {
                            await Task.CompletedTask;
                    {{string.Join('\n', lines[usings..])}}
                        }
                    }
                    """;
                choices.Add($"\"{library} {i + 1}\" => {name}.RunAsync([]),");
            }
        }

        files["Program.cs"] = $$"""
            await (args[0] switch
            {
                {{string.Join("\n    ", choices)}}
                _ => throw new ArgumentException(args[0]),
            });
            """;
        if (libraries.Contains("Broker.Testing"))
        {
            // The page of this package tests a program of its reader.
            files["OrderDesk.cs"] = "global using UserTests;\n" + File.ReadAllText(Path.Combine(Repository.Root, "samples", "UserTests", "OrderDesk.cs"));
        }

        return files;
    }

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.CultureInvariant | RegexOptions.Singleline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CodeBlock();

    [GeneratedRegex(@"^using [\w.]+;", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex UsingDirective();
}
