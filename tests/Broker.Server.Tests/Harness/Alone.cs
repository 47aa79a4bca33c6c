namespace Broker.Server.Tests.Harness;

/// <summary>For tests that measure the memory of the whole process: no other runs meanwhile.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "Alone";
}
