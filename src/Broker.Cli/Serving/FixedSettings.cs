namespace Broker.Cli.Serving;

/// <summary>Finds changed settings that a reload cannot apply.</summary>
internal static class FixedSettings
{
    /// <summary>Returns the keys of the configuration file whose settings differ and need a restart.</summary>
    public static IReadOnlyList<string> Changed(ServeSettings before, ServeSettings after) =>
    [
        .. Values(before).Zip(Values(after))
            .Where(pair => !Equals(pair.First.Value, pair.Second.Value))
            .Select(pair => pair.First.Name)
            .Distinct(StringComparer.Ordinal),
        .. Changed(before.ZeroMq, after.ZeroMq),
    ];

    // A reload can start and stop the bridge and its routes, but it cannot change the connection of a running bridge.
    private static string[] Changed(ZeroMqSettings? before, ZeroMqSettings? after)
        => before is null || after is null || (before.Connection?.Definition, before.PublishersUser, before.SubscribersUser)
            == (after.Connection?.Definition, after.PublishersUser, after.SubscribersUser)
                ? []
                : ["url or user of zeromq"];

    // Lists are joined to a text, because records compare lists by reference.
    private static (string Name, object? Value)[] Values(ServeSettings settings) =>
    [
        ("listen", Text(settings.AlsoListen.Prepend(new ListenAddress(settings.Host, settings.Port)))),
        ("server_name", settings.ServerName),
        ("server_tags", Text(settings.ServerTags)),
        ("pid_file", settings.PidFile),
        ("ports_file_dir", settings.PortsFileDirectory),
        ("log_file", settings.LogFile is null),
        ("http", settings.Http),
        ("https", settings.Https),
        ("http_base_path", settings.HttpBasePath),
        ("http_max_connections", settings.HttpMaxConnections),
        ("http_admin", settings.HttpAdmin),
        ("websocket", settings.WebSocket is null ? null : settings.WebSocket with { AllowedOrigins = [] }),
        ("websocket", Text(settings.WebSocket?.AllowedOrigins)),
        ("jetstream", settings.Streams),
        ("store_dir", settings.Streams is null ? null : settings.StoreDirectory),
        ("jetstream of accounts", settings.Streams is null ? null : Text(StreamsSetup.AccountsOf(settings.Security).OrderBy(static account => account.Key, StringComparer.Ordinal))),
        ("loops", settings.Loops),
        ("logtime", settings.LogTime),
    ];

    private static string? Text<T>(IEnumerable<T>? values) => values is null ? null : string.Join('\n', values);
}
