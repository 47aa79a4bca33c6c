using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>Many publishers and one reader. A server may close the reader in this row, as a slow consumer.</summary>
internal sealed class FanIn(string name, int publishers, int payloadSize)
    : Delivery(
        name,
        $"{publishers} publishers → 1 reader, {payloadSize} B",
        new Topology { Subject = "foo", PayloadSize = payloadSize, Publishers = publishers },
        Payloads.Pattern(payloadSize))
{
    public override double NominalNanoseconds => 500;
}
