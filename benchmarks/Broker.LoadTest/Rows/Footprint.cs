namespace Broker.LoadTest.Rows;

/// <summary>Resident memory of a server before and after it was given something to hold.</summary>
internal sealed record Footprint(long Count, long BytesBefore, long BytesAfter)
{
    public double BytesEach => (BytesAfter - BytesBefore) / (double)Count;
}
