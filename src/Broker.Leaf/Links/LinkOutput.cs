using Broker.Transport;

namespace Broker.Leaf;

/// <summary>The connection to the remote and its limits. Immutable, because publishers on all loops read it.</summary>
/// <param name="Connection">The connection.</param>
/// <param name="MaxPayload">The remote's maximum payload, headers included.</param>
/// <param name="Headers">Whether the remote reads headers.</param>
/// <param name="JetStream">The names of JetStream's subjects at the remote; null if they are the same.</param>
/// <param name="Permissions">The permissions of the link.</param>
internal sealed record LinkOutput(
    Connection Connection, long MaxPayload, bool Headers, JetStreamMapping? JetStream, LinkPermissions Permissions);
