namespace Broker.ZeroMq.Tests;

/// <summary>
/// The collection of tests that measure the whole process, such as its memory or its descriptors. They run alone.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "alone";
}
