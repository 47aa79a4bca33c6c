using Broker.Hosting;

namespace Broker.Cli.Configuration;

/// <summary>The keys of a configuration file of <c>broker bridge</c>, each as in that of <c>broker serve</c>.</summary>
internal static class BridgeFile
{
    /// <summary>Reads the file over <paramref name="defaults"/>.</summary>
    /// <exception cref="ConfigException">Some key or value is wrong; all that are so are named.</exception>
    public static ServeSettings Bind(ConfigBlock root, ServeSettings defaults)
    {
        var problems = new List<ConfigProblem>();
        var section = new ConfigSection(root, problems);
        ServeSettings settings = defaults with
        {
            Debug = section.Flag("debug", defaults.Debug),
            LogTime = section.Flag("logtime", defaults.LogTime),
            LogFile = section.Text("log_file", defaults.LogFile),
            PidFile = section.Text("pid_file", defaults.PidFile),
            PortsFileDirectory = section.Text("ports_file_dir", defaults.PortsFileDirectory),
            StopDeadline = section.Span("stop_deadline", defaults.StopDeadline),
            Http = ServeConfig.Http(section, defaults, "http", defaults.Http),
        };
        settings = settings with { ZeroMq = new ZeroMqConfig(problems).Read(section, settings, settings.ZeroMq) };
        section.RejectTheRest();
        return problems.Count == 0 ? settings : throw new ConfigException([.. problems.OrderBy(p => p.Position.Line).ThenBy(p => p.Position.Column)]);
    }

    /// <summary>A route as it stands in a file, given as a text.</summary>
    /// <param name="text">The inside of its block.</param>
    /// <param name="source">What messages call the text.</param>
    /// <param name="inherited">Its security, if it says nothing of its own.</param>
    /// <exception cref="ConfigException">Something of it is wrong.</exception>
    public static RouteSettings ReadRoute(string text, string source, SocketSecurity? inherited)
    {
        var scopes = new ConfigScopes(Environment.GetEnvironmentVariable);
        var block = new ConfigBlock(new ConfigPosition(source, 1, 1));
        scopes.Enter(block);
        new ConfigParser(new ConfigCursor(text, source), scopes, static (name, at, _) => throw new ConfigException($"nothing can be included here: {name}", at))
            .ParseFile(block);
        var problems = new List<ConfigProblem>();
        return new RoutesConfig(problems, inherited).Read(block) is { } route && problems.Count == 0 ? route : throw new ConfigException(problems);
    }
}
