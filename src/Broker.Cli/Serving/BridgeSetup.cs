using Broker.Bridge.Mapping;
using Broker.Bridge.PubSub;

namespace Broker.Cli.Serving;

/// <summary>What the bridge is told of the settings, but for how it reaches the server.</summary>
internal static class BridgeSetup
{
    public static PubSubBridgeOptions Options(ZeroMqSettings zeroMq)
    {
        var defaults = new PubSubBridgeOptions();
        return defaults with
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
    }

    /// <summary>What keeps the bridge from being started so, or null.</summary>
    public static string? Problem(ZeroMqSettings zeroMq)
    {
        try
        {
            _ = new MessageMapper(Options(zeroMq).Mapping);
            return null;
        }
        catch (ArgumentException e)
        {
            return e.Message;
        }
    }
}
