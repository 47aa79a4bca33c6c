using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Leaf;

/// <summary>
/// Another row with its publishers and its subscribers at the two ends of a link. The measured server is the leaf node.
/// </summary>
/// <param name="row">The row with its name and description.</param>
/// <param name="inward">Whether the publishers are at the hub; otherwise the subscribers are.</param>
internal sealed class AcrossLink(Row row, bool inward = false) : Row(row.Name, row.What)
{
    public override double NominalNanoseconds => row.NominalNanoseconds * 4;

    public override int Copies => row.Copies;

    public override int Publishers => row.Publishers;

    public override int FewestMessages => row.FewestMessages;

    public override double ShortestSeconds => row.ShortestSeconds;

    public override ServerCommand? CommandFor(ServerCommand command) => row.CommandFor(command)?.BehindHub();

    public override Measurement Measure(Target target, long messages) => row.Measure(target.OverLink(inward), messages);

    public override void Verify(Target target) => row.Verify(target.OverLink(inward));
}
