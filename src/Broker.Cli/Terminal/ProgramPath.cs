namespace Broker.Cli.Terminal;

/// <summary>Finds the text by which a user can start this program in a shell.</summary>
internal static class ProgramPath
{
    /// <summary>
    /// Returns the program's name if the shell finds it on the PATH, otherwise its path, relative if that is shorter.
    /// </summary>
    public static string ToType() => ToType(
        Environment.ProcessPath ?? "",
        typeof(ProgramPath).Assembly.GetName().Name + ".dll",
        Environment.CurrentDirectory,
        Environment.GetEnvironmentVariable("PATH") ?? "");

    /// <param name="process">The path of the executable.</param>
    /// <param name="assembly">The assembly of this program, if <c>dotnet</c> runs it.</param>
    /// <param name="current">The current folder.</param>
    /// <param name="searched">The value of the PATH variable.</param>
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
        // The shell searches a name without a folder only on the PATH.
        relative = relative.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal) ? relative : Path.Combine(".", relative);
        return relative.Length < path.Length && !relative.StartsWith("..", StringComparison.Ordinal) ? relative : path;
    }

    private static string Quote(string path) => path.Contains(' ', StringComparison.Ordinal) ? $"\"{path}\"" : path;
}
