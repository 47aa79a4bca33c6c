namespace Broker.LoadTest.Rows;

/// <summary>The resident memory of a server before and after it stores connections or subscriptions.</summary>
internal sealed record Footprint(long Count, long BytesBefore, long BytesAfter)
{
    public double BytesEach => (BytesAfter - BytesBefore) / (double)Count;
}
