namespace Broker.Server.Tests.Harness;

/// <summary>
/// The collection of tests that measure the memory of the whole process. No other test runs at the same time.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "Alone";
}
