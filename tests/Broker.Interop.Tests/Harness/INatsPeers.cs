namespace Broker.Interop.Tests.Harness;

/// <summary>Publisher, subscriber and requester over one NATS client library.</summary>
internal interface INatsPeers : IPeers;
