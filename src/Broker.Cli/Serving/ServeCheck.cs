using System.Net;
using Broker.Bridge;
using Broker.ZeroMq;

namespace Broker.Cli.Serving;

/// <summary>
/// Finds settings that are valid alone but conflict with each other. Used before a start and by <c>-t</c>.
/// </summary>
internal static class ServeCheck
{
    /// <summary>Returns the conflicts, each with the key of the configuration file to which it belongs.</summary>
    public static IEnumerable<(string Key, string Problem)> Problems(ServeSettings settings)
    {
        if (settings is { Http: not null, Https: not null })
        {
            yield return ("https", "HTTP (-m) and HTTPS (-ms) for the monitoring pages cannot be combined");
        }

        if (settings is { Https: not null, Http: null, Tls: null })
        {
            yield return ("https", "monitoring over HTTPS needs a certificate: a \"tls\" block with cert_file and key_file");
        }

        if (settings.ZeroMq is { } zeroMq && BridgeSetup.Problem(zeroMq) is { } wrong)
        {
            yield return ("zeromq", $"a setting of the ZeroMQ bridge is invalid: {wrong}");
        }

        foreach ((string key, string problem) in OperatorProblems(settings))
        {
            yield return (key, problem);
        }

        if (settings.ZeroMq is { } bridge && BridgeUser.Problem(settings.Security, bridge) is { } who)
        {
            yield return ("zeromq", who);
        }

        foreach ((string key, string? folder) in Folders(settings))
        {
            if (folder is not null && !Directory.Exists(folder))
            {
                yield return (key, $"the folder {folder} of \"{key}\" does not exist");
            }
        }

        foreach ((string key, string? file) in ((string, string?)[])[("log_file", settings.LogFile), ("pid_file", settings.PidFile)])
        {
            if (Directory.Exists(file))
            {
                yield return (key, $"\"{key}\" must be a file, but {file} is a folder");
            }
        }

        List<Place> places = [.. Places(settings)];
        for (int i = 0; i < places.Count; i++)
        {
            for (int j = 0; j < i; j++)
            {
                if (places[i].Overlaps(places[j]))
                {
                    yield return (places[i].Key, $"{places[j].Who} and {places[i].Who} cannot both use {places[i].Shown}");
                }
            }
        }
    }

    private static IEnumerable<(string Key, string Problem)> OperatorProblems(ServeSettings settings)
    {
        if (settings is { ZeroMq.Connection: null, Security.Operator: not null })
        {
            yield return ("zeromq", "\"zeromq\" needs a \"connection\" with credentials, because JWTs identify all users");
        }

        if (settings is { Security.Operator: not null, LeafNodes.Listen.Users.Count: 0 })
        {
            yield return ("leafnodes", "leaf nodes that connect here need \"users\" of their own, because JWTs authenticate the clients");
        }
    }

    private static (string Key, string? Folder)[] Folders(ServeSettings settings) =>
    [
        ("log_file", FolderOf(settings.LogFile)),
        ("pid_file", FolderOf(settings.PidFile)),
        ("ports_file_dir", settings.PortsFileDirectory),
    ];

    private static string? FolderOf(string? file) => file is null ? null : Path.GetDirectoryName(Path.GetFullPath(file));

    private static IEnumerable<Place> Places(ServeSettings settings)
    {
        const string Clients = "NATS clients";
        yield return Place.Of("listen", Clients, new ListenAddress(settings.Host, settings.Port));
        foreach (ListenAddress address in settings.AlsoListen)
        {
            yield return Place.Of("listen", Clients, address);
        }

        if (settings.WebSocket is { } webSocket)
        {
            yield return Place.Of("websocket", "WebSocket clients", webSocket.Address);
        }

        if ((settings.Https ?? settings.Http) is { } pages)
        {
            yield return Place.Of(settings.Https is null ? "http" : "https", "the monitoring pages", pages);
        }

        if (settings.ZeroMq is { HasPubSub: true } pubSub)
        {
            foreach (BridgeEndpoint endpoint in pubSub.Subscribers.Where(e => e.Bind))
            {
                yield return Place.Of("ZeroMQ subscribers", ZeroMqEndpoint.Parse(endpoint.Endpoint));
            }

            foreach (BridgeEndpoint endpoint in pubSub.Publishers.Where(e => e.Bind))
            {
                yield return Place.Of("ZeroMQ publishers", ZeroMqEndpoint.Parse(endpoint.Endpoint));
            }
        }

        foreach (ConfiguredRoute route in settings.ZeroMq?.Routes ?? [])
        {
            foreach (BridgeEndpoint endpoint in route.Endpoints.Where(e => e.Bind))
            {
                yield return Place.Of($"the route \"{route.Name}\"", ZeroMqEndpoint.Parse(endpoint.Endpoint));
            }
        }
    }

    // An address in use. The host of an ipc endpoint is its path. Port 0 is a free port, so it overlaps with no other.
    private readonly record struct Place(string Key, string Who, string Shown, string Host, int Port)
    {
        public static Place Of(string key, string who, ListenAddress address)
            => new(key, who, address.ToString(), address.Host == "localhost" ? "127.0.0.1" : address.Host, address.Port);

        public static Place Of(string who, ZeroMqEndpoint endpoint)
            => endpoint.IsIpc
                ? new("zeromq", who, endpoint.ToString(), endpoint.ToString(), -1)
                : new("zeromq", who, endpoint.ToString(), HostOf(endpoint), endpoint.Port);

        public bool Overlaps(Place other)
            => Port != 0 && Port == other.Port && (Host == other.Host || (Port > 0 && (HasAllOf(other) || other.HasAllOf(this))));

        private static string HostOf(ZeroMqEndpoint endpoint)
            => endpoint.Host switch { "*" => "0.0.0.0", "localhost" => "127.0.0.1", var host => host };

        private bool HasAllOf(Place other)
            => Host is "*" or "::" || (Host == "0.0.0.0" && IPAddress.TryParse(other.Host, out IPAddress? address)
                && address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork);
    }
}
