using Broker.Transport;

namespace Broker.Leaf;

/// <summary>The connection to the remote and its limits. Immutable, because publishers on all loops read it.</summary>
/// <param name="Connection">The connection.</param>
/// <param name="MaxPayload">The remote's maximum payload, headers included.</param>
/// <param name="Headers">Whether the remote reads headers.</param>
internal sealed record LinkOutput(Connection Connection, long MaxPayload, bool Headers);
