using Microsoft.Win32.SafeHandles;

namespace Broker.Streams;

internal sealed class DiskFile(SafeFileHandle handle) : IStoreFile
{
    public long Length => RandomAccess.GetLength(handle);

    public void Write(ReadOnlySpan<byte> bytes, long offset) => RandomAccess.Write(handle, bytes, offset);

    public int Read(Span<byte> buffer, long offset)
    {
        int done = 0;
        while (done < buffer.Length)
        {
            int read = RandomAccess.Read(handle, buffer[done..], offset + done);
            if (read == 0)
            {
                break;
            }

            done += read;
        }

        return done;
    }

    public bool TryReadNow(Span<byte> buffer, long offset) => CachedRead.TryRead(handle, buffer, offset);

    public void SetLength(long length) => RandomAccess.SetLength(handle, length);

    public void Sync() => DataSync.Sync(handle);

    public void Dispose() => handle.Dispose();
}
