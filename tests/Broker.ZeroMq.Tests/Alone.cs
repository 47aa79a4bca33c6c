namespace Broker.ZeroMq.Tests;

/// <summary>For tests that measure the process: its memory, its descriptors.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "alone";
}
