namespace Broker.Streams;

internal enum ReadStatus
{
    Found,

    /// <summary>There is no such message.</summary>
    NotFound,

    /// <summary>The stream is damaged. <see cref="StoredStream.Damage" /> says where.</summary>
    Damaged,
}
