namespace Broker.Streams;

/// <summary>
/// An open file of a store. Reads are allowed on any thread, beside writes to other parts of the file.
/// </summary>
internal interface IStoreFile : IDisposable
{
    long Length { get; }

    void Write(ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Reads until the buffer is full or the file ends. Returns the number of bytes.</summary>
    int Read(Span<byte> buffer, long offset);

    /// <summary>
    /// Fills a buffer without waiting for a disk. Returns false if some of the bytes are not in memory, or if the system
    /// cannot tell.
    /// </summary>
    bool TryReadNow(Span<byte> buffer, long offset);

    void SetLength(long length);

    /// <summary>Returns when everything that was written is on the disk.</summary>
    void Sync();
}
