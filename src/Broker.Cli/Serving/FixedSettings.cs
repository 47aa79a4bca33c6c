namespace Broker.Cli.Serving;

/// <summary>The settings that a reload cannot change.</summary>
internal static class FixedSettings
{
    /// <summary>The names of those that differ, as the configuration file has them.</summary>
    public static IReadOnlyList<string> Changed(ServeSettings before, ServeSettings after) =>
        [.. Texts(before).Zip(Texts(after)).Where(pair => pair.First != pair.Second).Select(pair => pair.First.Name)];

    private static (string Name, string? Text)[] Texts(ServeSettings settings) =>
    [
        ("listen", string.Join(' ', settings.AlsoListen.Prepend(new ListenAddress(settings.Host, settings.Port)))),
        ("server_name", settings.ServerName),
        ("server_tags", string.Join(',', settings.ServerTags)),
        ("http_base_path", settings.HttpBasePath),
        ("pid_file", settings.PidFile),
        ("ports_file_dir", settings.PortsFileDirectory),
        ("log_file", settings.LogFile is null ? "standard error" : "a file"),
        ("http", settings.Http?.ToString()),
        ("https", settings.Https?.ToString()),
        ("websocket", Text(settings.WebSocket)),
        ("loops", settings.Loops.ToString()),
        ("logtime", settings.LogTime.ToString()),
        ("zeromq", Text(settings.ZeroMq)),
    ];

    // The lists by what is in them: a record compares them as objects.
    private static string? Text(WebSocketSettings? sockets) =>
        sockets is null ? null : $"{string.Join(' ', sockets.AllowedOrigins)}|{sockets with { AllowedOrigins = [] }}";

    private static string? Text(ZeroMqSettings? bridge) =>
        bridge is null
            ? null
            : $"{string.Join(' ', bridge.Publishers)}|{string.Join(' ', bridge.Subscribers)}|{bridge with { Publishers = [], Subscribers = [] }}";
}
