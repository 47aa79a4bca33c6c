using System.Net;
using Broker.Bridge.PubSub;

namespace Broker.Cli.Configuration;

/// <summary>The key <c>zeromq</c>, which nats-server has not.</summary>
internal sealed class ZeroMqConfig(List<ConfigProblem> problems)
{
    private const string AllowShape = "an address or a network such as \"10.0.0.0/8\", or an array of them";

    public ZeroMqSettings? Read(ConfigSection root, ServeSettings settings, ZeroMqSettings? otherwise) =>
        root.Find("zeromq") switch
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
            problems.Add(new ConfigProblem("\"publishers\" and \"subscribers\" must both have a \"user\", or the whole of \"zeromq\"", block.Position));
        }

        var read = new ZeroMqSettings
        {
            Publishers = publishers,
            PublishersUser = publishersUser,
            Subscribers = subscribers,
            SubscribersUser = subscribersUser,
            Prefix = Prefix(section, defaults.Prefix),
            Delimiter = Character(section, "delimiter", defaults.Delimiter),
            SingleFrameDelimiter = Character(section, "single_frame_delimiter", defaults.SingleFrameDelimiter),
            Echo = section.Flag("echo", defaults.Echo),
            SendHighWaterMark = section.Bytes("send_high_water_mark", defaults.SendHighWaterMark, 1024, 1L << 40),
            MaxMessageSize = (int)section.Bytes("max_message_size", defaults.MaxMessageSize, 1, 64 * 1024 * 1024),
            MaxPeers = (int)section.Whole("max_peers", defaults.MaxPeers, 1, 1_000_000),
            Url = Url(section),
        };
        section.RejectTheRest();
        if (read.Url is not null && read.PublishersUser is not null)
        {
            problems.Add(new ConfigProblem("a \"user\" is of this server, and \"url\" names another one: give its user in the URL", block.Position));
        }

        return read;
    }

    // Endpoints, or a block that says who is behind them.
    private (IReadOnlyList<BridgeEndpoint> Endpoints, string? User) Side(
        ConfigSection section, string key, ServeSettings settings, IReadOnlyList<BridgeEndpoint> otherwise, string? user)
    {
        if (section.Find(key) is not ConfigBlock block)
        {
            return (section.Many(key, otherwise, ZeroMqEndpointText.Shape, ZeroMqEndpointText.TryParse), user);
        }

        var side = new ConfigSection(block, problems);
        IReadOnlyList<BridgeEndpoint> endpoints = side.Many("endpoint", otherwise, ZeroMqEndpointText.Shape, ZeroMqEndpointText.TryParse);
        IReadOnlyList<Allowed> allowed = side.Many("allow", [], AllowShape, Network);
        string? own = User(side, settings, user);
        side.RejectTheRest();
        return ([.. endpoints.Select(e => e with { AllowedAddresses = [.. allowed.Select(a => a.Network)] })], own);
    }

    private static string? User(ConfigSection section, ServeSettings settings, string? otherwise) =>
        section.Find("user") switch
        {
            null => otherwise,
            ConfigText { Value: var name } when settings.Security?.AllUsers.Any(u => u.Name == name) is true => name,
            var value => section.Wrong("user", "the name of one of the users", value, otherwise),
        };

    private static Allowed? Network(string text) =>
        IPNetwork.TryParse(text, out IPNetwork network) ? new Allowed(network)
        : IPAddress.TryParse(text, out IPAddress? address) ? new Allowed(new IPNetwork(address, address.GetAddressBytes().Length * 8))
        : null;

    private static string Prefix(ConfigSection section, string otherwise) =>
        section.Find("prefix") switch
        {
            null => otherwise,
            ConfigText text when SubjectPrefix.IsValid(text.Value) => text.Value,
            var value => section.Wrong("prefix", SubjectPrefix.Shape, value, otherwise),
        };

    private static char Character(ConfigSection section, string key, char otherwise) =>
        section.Find(key) switch
        {
            null => otherwise,
            ConfigText { Value: [var c] } when char.IsAscii(c) => c,
            var value => section.Wrong(key, "one ASCII character in quotes", value, otherwise),
        };

    private static string? Url(ConfigSection section) =>
        section.Find("url") switch
        {
            null => null,
            ConfigText text when Uri.TryCreate(text.Value, UriKind.Absolute, out Uri? url)
                && url is { Scheme: "nats" or "tls", Host.Length: > 0 } => text.Value,
            var value => section.Wrong("url", "the address of a NATS server, such as \"nats://host:4222\"", value, (string?)null),
        };

    private sealed record Allowed(IPNetwork Network);
}
