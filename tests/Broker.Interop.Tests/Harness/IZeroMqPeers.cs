namespace Broker.Interop.Tests.Harness;

/// <summary>PUB and SUB over one ZeroMQ library.</summary>
internal interface IZeroMqPeers : IPeers;
