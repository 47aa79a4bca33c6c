namespace Broker.Cli.Terminal;

/// <summary>How this program is called by somebody who types.</summary>
internal static class ProgramPath
{
    /// <summary>Its name where the shell finds it by that, else its path, from the current folder where that is shorter.</summary>
    public static string ToType() => ToType(
        Environment.ProcessPath ?? "",
        typeof(ProgramPath).Assembly.GetName().Name + ".dll",
        Environment.CurrentDirectory,
        Environment.GetEnvironmentVariable("PATH") ?? "");

    /// <param name="process">The path of the executable.</param>
    /// <param name="assembly">The file beside this program's others that a host would run.</param>
    /// <param name="current">The current folder.</param>
    /// <param name="searched">The folders in which the shell looks.</param>
    internal static string ToType(string process, string assembly, string current, string searched)
    {
        if (Path.GetFileNameWithoutExtension(process) == "dotnet")
        {
            return "dotnet " + Quote(Nearest(Path.Combine(AppContext.BaseDirectory, assembly), current));
        }

        string folder = Path.GetDirectoryName(process) ?? "";
        return folder.Length == 0 || searched.Split(Path.PathSeparator).Contains(folder, StringComparer.Ordinal)
            ? Path.GetFileNameWithoutExtension(process) is { Length: > 0 } name ? name : ProgramName.Default
            : Quote(Nearest(process, current));
    }

    private static string Nearest(string path, string current)
    {
        string relative = Path.GetRelativePath(current, path);
        // A bare name would be looked for elsewhere.
        relative = relative.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal) ? relative : Path.Combine(".", relative);
        return relative.Length < path.Length && !relative.StartsWith("..", StringComparison.Ordinal) ? relative : path;
    }

    private static string Quote(string path) => path.Contains(' ', StringComparison.Ordinal) ? $"\"{path}\"" : path;
}
