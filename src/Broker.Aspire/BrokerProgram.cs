using System.Text.Json;

namespace Broker.Aspire;

/// <summary>The command that a resource starts, and the arguments before its own ones.</summary>
/// <param name="Command">A name or a path.</param>
/// <param name="Arguments">The arguments that lead to <c>broker</c>, such as <c>tool run broker</c>.</param>
/// <param name="Problem">The reason why the command cannot be started; null if it was found.</param>
internal sealed record BrokerProgram(string Command, string[] Arguments, string? Problem = null)
{
    /// <summary>The key of the app host's configuration that has the name or the path of the command.</summary>
    internal const string ConfigurationKey = "Broker:Command";

    private const string Name = "broker";
    private const string Package = "broker.cli";

    /// <summary>Finds the command.</summary>
    /// <param name="command">The name or the path that the user gave; null if there is none.</param>
    /// <param name="folder">The app host's folder.</param>
    /// <param name="searched">The folders of the <c>PATH</c> and of global tools.</param>
    internal static BrokerProgram Find(string? command, string folder, IReadOnlyList<string> searched)
    {
        if (command is { Length: > 0 })
        {
            return FindGiven(command, folder, searched);
        }

        if (HasTool(folder))
        {
            return new BrokerProgram("dotnet", ["tool", "run", Name, "--"]);
        }

        return FindIn(searched, Name) is { } found
            ? new BrokerProgram(found, [])
            : new BrokerProgram(
                Name,
                [],
                $"the command 'broker' is neither a tool of a manifest in {folder} or above it, nor in the PATH, nor a global tool. "
                + "Install it with 'dotnet tool install --global Broker.Cli', or give its path: "
                + $"AddBroker(\"name\", command: \"/path/to/broker\"), or the key {ConfigurationKey} of the app host's configuration.");
    }

    /// <summary>The folders of the <c>PATH</c>, and the folder of global tools.</summary>
    internal static IReadOnlyList<string> SearchFolders()
    {
        string user = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        string[] path = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        return user.Length == 0 ? path : [.. path, Path.Combine(user, ".dotnet", "tools")];
    }

    private static BrokerProgram FindGiven(string command, string folder, IReadOnlyList<string> searched)
    {
        bool isName = command.AsSpan().IndexOfAny('/', '\\') < 0 && !command.EndsWith(".dll", StringComparison.OrdinalIgnoreCase);
        string? found = isName ? FindIn(searched, command) : Existing(Path.GetFullPath(command, folder));
        if (found is null)
        {
            return new BrokerProgram(
                command,
                [],
                isName ? $"the command '{command}' is not in the PATH." : $"the file {Path.GetFullPath(command, folder)} does not exist.");
        }

        return found.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? new BrokerProgram("dotnet", [found]) : new BrokerProgram(found, []);
    }

    private static string? FindIn(IReadOnlyList<string> folders, string name)
        => folders.Where(Path.IsPathRooted).Select(folder => Existing(Path.Combine(folder, name))).FirstOrDefault(static found => found is not null);

    private static string? Existing(string file)
    {
        if (File.Exists(file))
        {
            return file;
        }

        return OperatingSystem.IsWindows() && File.Exists(file + ".exe") ? file + ".exe" : null;
    }

    // The SDK searches for a manifest in the folder, in its .config, and in all folders above.
    private static bool HasTool(string folder)
    {
        for (DirectoryInfo? at = new(folder); at is not null; at = at.Parent)
        {
            string[] manifests = [Path.Combine(at.FullName, ".config", "dotnet-tools.json"), Path.Combine(at.FullName, "dotnet-tools.json")];
            if (manifests.Any(static manifest => File.Exists(manifest) && Lists(manifest)))
            {
                return true;
            }
        }

        return false;
    }

    private static bool Lists(string manifest)
    {
        try
        {
            using var content = JsonDocument.Parse(File.ReadAllBytes(manifest));
            return content.RootElement.ValueKind == JsonValueKind.Object
                && content.RootElement.TryGetProperty("tools", out JsonElement tools)
                && tools.ValueKind == JsonValueKind.Object
                && tools.EnumerateObject().Any(static tool => string.Equals(tool.Name, Package, StringComparison.OrdinalIgnoreCase));
        }
        catch (Exception e) when (e is JsonException or IOException or UnauthorizedAccessException)
        {
            // The SDK reports a manifest that it cannot read when a tool of it is used.
            return false;
        }
    }
}
