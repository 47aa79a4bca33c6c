using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>The same row with the same server over TLS.</summary>
internal sealed class OverTls(Row row) : Row(Prefix + row.Name, row.What + ", TLS")
{
    public const string Prefix = "tls-";

    public override double NominalNanoseconds => row.NominalNanoseconds * 2;

    public override int Copies => row.Copies;

    public override int Publishers => row.Publishers;

    public override int FewestMessages => row.FewestMessages;

    public override ServerCommand? CommandFor(ServerCommand command) => row.CommandFor(command)?.OverTls();

    public override Measurement Measure(Target target, long messages) => row.Measure(target, messages);

    public override void Verify(Target target) => row.Verify(target);
}
