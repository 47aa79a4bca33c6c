using Broker.Bridge;

namespace Broker.Cli.Serving;

/// <summary>Converts the settings to routes of the bridge.</summary>
internal static class BridgeSetup
{
    /// <summary>Returns all routes: the PUB/SUB route of the settings themselves, and all other routes.</summary>
    public static IReadOnlyList<ConfiguredRoute> Routes(ZeroMqSettings zeroMq)
        => zeroMq.HasPubSub ? [PubSub(zeroMq), .. zeroMq.Routes] : zeroMq.Routes;

    /// <summary>Returns the error that keeps the bridge from starting with these settings, or null.</summary>
    public static string? Problem(ZeroMqSettings zeroMq)
    {
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (ConfiguredRoute route in Routes(zeroMq))
        {
            if (!names.Add(route.Name))
            {
                return $"two routes have the name \"{route.Name}\"";
            }

            try
            {
                route.Options.Validate();
            }
            catch (Exception e) when (e is ArgumentException or FormatException)
            {
                return ErrorText.WithoutParameter(e.Message);
            }
        }

        return names.Count == 0 ? "it has no route" : null;
    }

    private static ConfiguredRoute PubSub(ZeroMqSettings zeroMq)
    {
        var defaults = new PubSubRouteOptions();
        PubSubRouteOptions options = defaults with
        {
            Publishers = zeroMq.Publishers,
            Subscribers = zeroMq.Subscribers,
            Mapping = defaults.Mapping with
            {
                Prefix = zeroMq.Prefix,
                TopicDelimiter = (byte)zeroMq.Delimiter,
                SingleFrameDelimiter = (byte)zeroMq.SingleFrameDelimiter,
                Echo = zeroMq.Echo,
            },
            HighWaterMark = zeroMq.SendHighWaterMark,
            MaxMessageSize = zeroMq.MaxMessageSize,
            MaxPeers = zeroMq.MaxPeers,
        };
        IEnumerable<object> definition =
        [
            .. zeroMq.Publishers.Select(ZeroMqEndpointText.FormatAll), "|", .. zeroMq.Subscribers.Select(ZeroMqEndpointText.FormatAll), zeroMq.Prefix,
            zeroMq.Delimiter, zeroMq.SingleFrameDelimiter, zeroMq.Echo, zeroMq.SendHighWaterMark, zeroMq.MaxMessageSize, zeroMq.MaxPeers,
            zeroMq.Security?.Definition ?? "",
        ];
        IReadOnlyList<BridgeEndpoint> endpoints = [.. zeroMq.Publishers, .. zeroMq.Subscribers];
        return new ConfiguredRoute(zeroMq.Security?.ApplyTo(options) ?? options, endpoints, string.Join('\n', definition));
    }
}
