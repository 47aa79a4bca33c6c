using Broker.Bridge;

namespace Broker.Hosting;

/// <summary>
/// A callback that changes the options of a host's bridge. If there are several callbacks, they run one after the
/// other.
/// </summary>
/// <param name="Configure">Receives the current options and returns the options to use.</param>
internal sealed record BridgeConfiguration(Func<IServiceProvider, ZeroMqBridgeOptions, ZeroMqBridgeOptions> Configure);
