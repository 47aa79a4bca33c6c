using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace Broker.TestKit;

/// <summary>Runs a theory with as many seeds, which are part of the test's name; with that of <see cref="Seed.Given"/> alone, if there is one.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SeedsAttribute(int count) : DataAttribute
{
    public int Count { get; } = count;

    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
        => new(Seed.Given is { } given
            ? [new TheoryDataRow<int>(given)]
            : [.. Enumerable.Range(0, Count).Select(static ITheoryDataRow (_) => new TheoryDataRow<int>(Seed.Fresh()))]);

    // Other ones whenever they are asked for: a test that was listed would not be found again.
    public override bool SupportsDiscoveryEnumeration() => false;
}
