using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Broker.Cli.Tests.Shell;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Auth;

/// <summary>A temporary folder with a store of <c>broker auth</c>, in which commands run.</summary>
internal sealed partial class StoreFolder : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    internal string Path => _folder.Path;

    internal string Store => In("auth");

    internal string In(string name) => System.IO.Path.Combine(_folder.Path, name);

    public void Dispose() => _folder.Dispose();

    /// <summary>Creates an operator and an account PLANT.</summary>
    internal async Task FillAsync(params string[] flags)
    {
        await RunAsync(["init", "ACME", .. flags]);
        await RunAsync("add", "account", "PLANT");
    }

    /// <summary>Runs a command that must succeed, and returns what it prints. No command prints a seed.</summary>
    internal async Task<string> RunAsync(params string[] args)
    {
        (int exitCode, string output, string error) = await EndAsync(args);
        Assert.True(exitCode == ExitCode.Success && error.Length == 0, $"{string.Join(' ', args)}\n{error}");
        return output;
    }

    /// <summary>Runs a command that must fail, and returns what it says.</summary>
    internal async Task<string> FailAsync(int expected, params string[] args)
    {
        (int exitCode, string output, string error) = await EndAsync(args);
        Assert.True((expected, "") == (exitCode, output), $"{string.Join(' ', args)}\n{exitCode} {output}{error}");
        Assert.StartsWith("broker: ", error, StringComparison.Ordinal);
        Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        return error;
    }

    /// <summary>Runs a command that must refuse to choose a file.</summary>
    internal async Task<string> FailWithoutFileAsync(params string[] args)
    {
        (int exitCode, _, string error) = await ShellRun.OfAsync(["auth", .. args, "--store", Store]);
        Assert.Equal(ExitCode.Usage, exitCode);
        return error;
    }

    internal async Task<(int ExitCode, string Output, string Error)> EndAsync(params string[] args)
    {
        bool hasFile = args is ["add" or "edit", "user", ..] && !args.Contains("--out", StringComparer.Ordinal);
        (int exitCode, string output, string error) result = await ShellRun.OfAsync(
            ["auth", .. args, .. args is ["show", "file", ..] || args.Contains("--store", StringComparer.Ordinal) ? Array.Empty<string>() : ["--store", Store], .. hasFile ? (string[])["--out", In(args[2] + ".creds")] : []]);
        Assert.DoesNotMatch(Seed(), result.output + result.error);
        return result;
    }

    /// <summary>Returns the claims of a token of the store.</summary>
    internal async Task<JsonObject> ClaimsAsync(params string[] of) => (JsonObject)JsonNode.Parse(await RunAsync(["show", .. of, "--json"]))!;

    /// <summary>Returns the user of a credentials file.</summary>
    internal UserCredentials Credentials(string name) => UserCredentials.Load(In(name + ".creds"));

    [GeneratedRegex("\\bS[OAUNX][A-Z2-7]{56}\\b", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Seed();
}
