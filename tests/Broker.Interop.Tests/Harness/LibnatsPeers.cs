namespace Broker.Interop.Tests.Harness;

/// <summary>Peers in C that use Debian's NATS client library.</summary>
internal sealed class LibnatsPeers() : CPeers("nats", "nats/nats.h", "libnats-dev"), INatsPeers;
