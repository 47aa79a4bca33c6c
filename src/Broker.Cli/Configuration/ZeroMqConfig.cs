using Broker.Bridge;

namespace Broker.Cli.Configuration;

/// <summary>Reads the key <c>zeromq</c>, which nats-server does not have.</summary>
internal sealed class ZeroMqConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    // A block with "routes" has the PUB/SUB route of the block itself only if it also has one of these keys.
    private static readonly string[] KeysOfPubSub = ["publishers", "subscribers"];

    private readonly ZeroMqEndpointConfig _endpoints = new(problems);

    public ZeroMqSettings? Read(ConfigSection root, ServeSettings settings, ZeroMqSettings? otherwise)
        => root.Find("zeromq") switch
        {
            null => otherwise,
            ConfigBoolean { Value: var on } => on ? new ZeroMqSettings() : null,
            ConfigBlock block => Read(new ConfigSection(block, problems), block, settings),
            var value => root.Wrong("zeromq", "a block, or true for its defaults", value, otherwise),
        };

    private ZeroMqSettings Read(ConfigSection section, ConfigBlock block, ServeSettings settings)
    {
        var defaults = new ZeroMqSettings();
        string? user = User(section, settings, null);
        (IReadOnlyList<BridgeEndpoint> publishers, string? publishersUser) = Side(section, "publishers", settings, defaults.Publishers, user);
        (IReadOnlyList<BridgeEndpoint> subscribers, string? subscribersUser) = Side(section, "subscribers", settings, defaults.Subscribers, user);
        if ((publishersUser is null) != (subscribersUser is null))
        {
            problems.Add(new ConfigProblem(
                "\"publishers\" and \"subscribers\" must both have a \"user\", or \"zeromq\" must have one for both",
                block.Position));
        }

        SocketSecurity? security = new SocketSecurityConfig(problems, warnings).Read(section, null);
        var read = new ZeroMqSettings
        {
            Security = security,
            HasPubSub = !section.Has("routes") || KeysOfPubSub.Any(section.Has),
            Routes = new RoutesConfig(problems, warnings, security).Read(section),
            Publishers = publishers,
            PublishersUser = publishersUser,
            Subscribers = subscribers,
            SubscribersUser = subscribersUser,
            Prefix = TopicKeys.Prefix(section, "prefix", defaults.Prefix),
            Delimiter = TopicKeys.Character(section, "delimiter", defaults.Delimiter),
            SingleFrameDelimiter = TopicKeys.Character(section, "single_frame_delimiter", defaults.SingleFrameDelimiter),
            Echo = section.Flag("echo", defaults.Echo),
            SendHighWaterMark = section.Bytes("send_high_water_mark", defaults.SendHighWaterMark, 1024, 1L << 40),
            MaxMessageSize = (int)section.Bytes("max_message_size", defaults.MaxMessageSize, 1, RoutePatterns.MaxMessageSizeLimit),
            MaxPeers = (int)section.Whole("max_peers", defaults.MaxPeers, 1, RoutePatterns.MaxPeersLimit),
            Connection = new BridgeConnectionConfig(problems).Read(section, block),
        };
        section.RejectTheRest();
        if (read.Connection is not null && read.PublishersUser is not null)
        {
            problems.Add(new ConfigProblem(
                "\"user\" is a user of this server, but \"url\" names another server: put that server's user into the URL",
                block.Position));
        }

        return read;
    }

    // Reads endpoints, or a block with endpoints and their user.
    private (IReadOnlyList<BridgeEndpoint> Endpoints, string? User) Side(
        ConfigSection section, string key, ServeSettings settings, IReadOnlyList<BridgeEndpoint> otherwise, string? user)
    {
        if (section.Find(key) is not ConfigBlock block)
        {
            return (_endpoints.Read(section, key, otherwise), user);
        }

        var side = new ConfigSection(block, problems);
        IReadOnlyList<BridgeEndpoint> endpoints = ZeroMqEndpointConfig.ReadBlock(side, otherwise);
        string? own = User(side, settings, user);
        side.RejectTheRest();
        return (endpoints, own);
    }

    private static string? User(ConfigSection section, ServeSettings settings, string? otherwise)
        => section.Find("user") switch
        {
            null => otherwise,
            ConfigText { Value: var name } when settings.Security?.AllUsers.Any(u => u.Name == name) is true => name,
            var value => section.Wrong("user", "the name of one of the users", value, otherwise),
        };
}
