using Broker.Bridge;

namespace Broker.Hosting;

/// <summary>What code says of a host's bridge. Several are called one after the other.</summary>
/// <param name="Configure">Given the options so far, answers those to use.</param>
internal sealed record BridgeConfiguration(Func<IServiceProvider, ZeroMqBridgeOptions, ZeroMqBridgeOptions> Configure);
