namespace Broker.Interop.Tests.Harness;

/// <summary>Programs in C over Debian's NATS client library.</summary>
internal sealed class LibnatsPeers() : CPeers("nats", "nats/nats.h", "libnats-dev"), INatsPeers;
