using System.Security.Cryptography;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;
using Microsoft.Extensions.Logging;

namespace Broker.Bridge;

/// <summary>What a route uses of its bridge.</summary>
/// <param name="Client">The connection for the route, which does its work on the loop of this connection.</param>
/// <param name="Loops">All loops of the bridge, including the connection's loop.</param>
/// <param name="BridgeId">The id of the bridge.</param>
/// <param name="InboxPrefix">The prefix of the connection's reply subjects.</param>
/// <param name="Inproc">The names of the bridge's <c>inproc://</c> endpoints.</param>
/// <param name="Logger">The logger of the routes.</param>
/// <param name="Tracer">Creates the bridge's spans; null if tracing is off for the bridge's client.</param>
internal sealed record RouteContext(
    BrokerConnection Client,
    EventLoopGroup Loops,
    string BridgeId,
    string InboxPrefix,
    InprocNames Inproc,
    ILogger Logger,
    BridgeTracer? Tracer = null)
{
    /// <summary>The loop of the connection.</summary>
    internal EventLoop Loop => Client.Loop;

    /// <summary>Returns a unique prefix for the reply subjects of one route, without a dot at the end.</summary>
    internal string NewInbox() => $"{InboxPrefix}.{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(12))}";
}
