using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>Many publishers, one reader: the row in which a server's slow-consumer policy may cut the reader.</summary>
internal sealed class FanIn(string name, int publishers, int payloadSize)
    : Delivery(
        name,
        $"{publishers} publishers → 1 reader, {payloadSize} B",
        new Topology { Subject = "foo", PayloadSize = payloadSize, Publishers = publishers },
        Payloads.Pattern(payloadSize))
{
    public override double NominalNanoseconds => 500;
}
