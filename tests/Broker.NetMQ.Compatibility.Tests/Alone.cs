namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>Tests that use the pool of the process or count its memory. No other test runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
