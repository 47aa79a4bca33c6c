using Broker.Transport;

namespace Broker.Cli.Configuration;

/// <summary>The parsed content of a configuration file, with the files that it includes.</summary>
internal sealed record ConfigFile(ConfigBlock Root, IReadOnlyList<ConfigProblem> Warnings)
{
    private const int MaxIncludeDepth = 16;

    // The limit is far above any real configuration. It keeps a mistake such as `-c /dev/zero` from using up the
    // memory.
    private const int MaxCharacters = 4 * 1024 * 1024;

    /// <exception cref="ConfigException">An included file cannot be read, or a file has a syntax error.</exception>
    /// <exception cref="ConfigUnreadableException">The file itself cannot be read.</exception>
    public static ConfigFile Load(string path) => Load(path, Environment.GetEnvironmentVariable);

    public static ConfigFile Load(string path, Func<string, string?> environment)
    {
        var scopes = new ConfigScopes(environment);
        var root = new ConfigBlock(new ConfigPosition(path, 1, 1));
        scopes.Enter(root);
        ParseInto(root, path, new ConfigPosition(path, 1, 1), scopes, []);
        return new ConfigFile(root, scopes.Warnings);
    }

    private static void ParseInto(
        ConfigBlock block, string path, ConfigPosition from, ConfigScopes scopes, Stack<string> opened)
    {
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ConfigException("the path of a file must not contain zero characters", from);
        }

        string full = Path.GetFullPath(path);
        if (opened.Contains(full))
        {
            throw new ConfigException($"the file {path} includes itself", from);
        }

        if (opened.Count > MaxIncludeDepth)
        {
            throw new ConfigException($"includes are nested more than {MaxIncludeDepth} levels deep", from);
        }

        string text = Read(path, from, included: opened.Count > 0);
        opened.Push(full);
        new ConfigParser(new ConfigCursor(text, path), scopes, Include).ParseFile(block);
        opened.Pop();

        void Include(string name, ConfigPosition position, ConfigBlock into)
            => ParseInto(into, Path.Combine(Path.GetDirectoryName(path) ?? "", name), position, scopes, opened);
    }

    private static string Read(string path, ConfigPosition from, bool included)
    {
        try
        {
            return BoundedFile.ReadText(path, MaxCharacters);
        }
        catch (InvalidDataException e)
        {
            throw new ConfigException($"the file {path} {e.Message}", from);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            string reason = e switch
            {
                FileNotFoundException or DirectoryNotFoundException => "there is no such file",
                UnauthorizedAccessException when Directory.Exists(path) => "it is a directory",
                UnauthorizedAccessException => "permission denied",
                _ => e.Message,
            };
            string message = $"cannot read the configuration file {path}: {reason}";
            throw included ? new ConfigException(message + ", included", from) : new ConfigUnreadableException(message);
        }
    }
}
