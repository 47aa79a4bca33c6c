using Broker.Bridge;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads a configuration file of <c>broker bridge</c>. Its keys mean the same as for <c>broker serve</c>.
/// </summary>
internal static class BridgeFile
{
    /// <summary>
    /// Returns <paramref name="defaults"/> with the settings of the file, and adds warnings to
    /// <paramref name="warnings"/>.
    /// </summary>
    /// <exception cref="ConfigException">Keys or values are invalid. The exception lists all of them.</exception>
    public static ServeSettings Bind(ConfigBlock root, ServeSettings defaults, List<ConfigProblem> warnings)
    {
        var problems = new List<ConfigProblem>();
        var section = new ConfigSection(root, problems);
        ServeSettings settings = defaults with
        {
            Debug = section.Flag("debug", defaults.Debug),
            LogTime = section.Flag("logtime", defaults.LogTime),
            LogFile = section.FilePath("log_file", defaults.LogFile),
            LogSizeLimit = ServeConfig.LogSizeLimit(section, defaults.LogSizeLimit),
            LogMaxFiles = ServeConfig.LogMaxFiles(section, defaults.LogMaxFiles),
            PidFile = section.FilePath("pid_file", defaults.PidFile),
            PortsFileDirectory = section.FilePath("ports_file_dir", defaults.PortsFileDirectory),
            StopDeadline = section.Span("stop_deadline", defaults.StopDeadline),
            Http = ServeConfig.Http(section, defaults, "http", defaults.Http),
            HttpMaxConnections = ServeConfig.HttpMaxConnections(section, defaults.HttpMaxConnections),
        };
        settings = settings with { ZeroMq = new ZeroMqConfig(problems, warnings).Read(section, settings, settings.ZeroMq) };
        section.RejectTheRest();
        return problems.Count == 0
            ? settings
            : throw new ConfigException([.. problems.OrderBy(p => p.Position.Line).ThenBy(p => p.Position.Column)]);
    }

    /// <summary>Reads a route from a text.</summary>
    /// <param name="text">The contents of the route's block.</param>
    /// <param name="source">The name of the text in error messages.</param>
    /// <param name="inherited">The security of a route without its own security.</param>
    /// <param name="warnings">Receives the warnings.</param>
    /// <exception cref="ConfigException">The route is invalid.</exception>
    public static ConfiguredRoute ReadRoute(string text, string source, SocketSecurity? inherited, List<ConfigProblem> warnings)
    {
        var scopes = new ConfigScopes(Environment.GetEnvironmentVariable);
        var block = new ConfigBlock(new ConfigPosition(source, 1, 1));
        scopes.Enter(block);
        new ConfigParser(
                new ConfigCursor(text, source),
                scopes,
                static (name, at, _) => throw new ConfigException($"include is not allowed here: {name}", at))
            .ParseFile(block);
        var problems = new List<ConfigProblem>();
        return new RoutesConfig(problems, warnings, inherited).Read(block) is { } route && problems.Count == 0
            ? route
            : throw new ConfigException(problems);
    }
}
