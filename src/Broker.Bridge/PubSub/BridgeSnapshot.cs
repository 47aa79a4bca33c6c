namespace Broker.Bridge.PubSub;

/// <summary>What a bridge has done, at a moment.</summary>
/// <param name="Publishers">PUB connections now.</param>
/// <param name="Subscribers">SUB connections now.</param>
/// <param name="MessagesIn">Messages taken from ZeroMQ and published.</param>
/// <param name="MessagesOut">Copies of messages queued for SUB peers.</param>
/// <param name="Dropped">Copies lost at SUBs' high-water marks, and messages lost because no NATS server was connected or took them.</param>
/// <param name="Refused">Messages, of either side, that cannot be mapped; see <see cref="PubSubBridge.Mapper"/> for the reasons.</param>
public readonly record struct BridgeSnapshot(
    int Publishers, int Subscribers, long MessagesIn, long MessagesOut, long Dropped, long Refused);
