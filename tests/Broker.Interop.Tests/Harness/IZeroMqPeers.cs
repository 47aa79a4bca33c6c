namespace Broker.Interop.Tests.Harness;

/// <summary>PUB and SUB peers that use one ZeroMQ library.</summary>
internal interface IZeroMqPeers : IPeers;
