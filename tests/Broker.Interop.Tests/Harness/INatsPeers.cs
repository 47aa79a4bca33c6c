namespace Broker.Interop.Tests.Harness;

/// <summary>A publisher, a subscriber and a requester that use one NATS client library.</summary>
internal interface INatsPeers : IPeers;
