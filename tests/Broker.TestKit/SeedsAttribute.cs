using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace Broker.TestKit;

/// <summary>
/// Runs a theory with this number of seeds. The seeds are part of the test's name. If there is a
/// <see cref="Seed.Given"/>, only that seed is used.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SeedsAttribute(int count) : DataAttribute
{
    public int Count { get; } = count;

    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
        => new(Seed.Given is { } given
            ? [new TheoryDataRow<int>(given)]
            : [.. Enumerable.Range(0, Count).Select(static ITheoryDataRow (_) => new TheoryDataRow<int>(Seed.Fresh()))]);

    // The seeds differ at each call, so a listed test could not be found again.
    public override bool SupportsDiscoveryEnumeration() => false;
}
