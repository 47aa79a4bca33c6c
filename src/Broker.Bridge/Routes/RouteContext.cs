using System.Security.Cryptography;
using Broker.Bridge.Tracing;
using Broker.Client;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Bridge.Routes;

/// <summary>What a route has of its bridge.</summary>
/// <param name="Client">The bridge's one connection. Its loop is where a route lives.</param>
/// <param name="Loops">The loops of the bridge, that one among them.</param>
/// <param name="BridgeId">The bridge's id.</param>
/// <param name="InboxPrefix">What the connection's subjects for answers begin with.</param>
/// <param name="Logger">Where a route logs.</param>
/// <param name="Tracer">Makes the spans of a bridge whose client has them too; else null.</param>
internal sealed record RouteContext(
    BrokerConnection Client, EventLoopGroup Loops, string BridgeId, string InboxPrefix, ILogger Logger, BridgeTracer? Tracer = null)
{
    /// <summary>The loop of the connection.</summary>
    internal EventLoop Loop => Client.Loop;

    /// <summary>What the subjects for answers to one route begin with, unlike any other's; without a dot at the end.</summary>
    internal string NewInbox() => $"{InboxPrefix}.{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(12))}";
}
