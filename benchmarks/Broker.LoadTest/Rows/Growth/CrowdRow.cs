using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>A row with one publisher, one reader and many other subscriptions.</summary>
internal sealed class CrowdRow(string name, string what, Crowd crowd) : StagedRow(name, what)
{
    public override double NominalNanoseconds => 1_000;

    public override IStage Prepare(Target target) => new CrowdStage(target, crowd);
}
