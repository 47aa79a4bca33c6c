namespace Broker.Streams.Tests.Simulation;

/// <summary>The content of a file: as a process sees it, as the disk has it, and the changes between both.</summary>
internal sealed class SimulatedFile
{
    private const int Sector = 512;

    private readonly List<(long Offset, byte[]? Bytes, long Length)> _pending = [];
    private byte[] _durable = [];

    public byte[] Current { get; set; } = [];

    public void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        byte[] copy = bytes.ToArray();
        _pending.Add((offset, copy, 0));
        Current = Written(Current, copy, offset);
    }

    public void SetLength(long length)
    {
        _pending.Add((0, null, length));
        Current = Resized(Current, length);
    }

    public void Sync()
    {
        _pending.Clear();
        _durable = (byte[])Current.Clone();
    }

    /// <summary>Changes one bit of a text in the content. Does nothing if the text is not there.</summary>
    public void Flip(string text)
    {
        int at = Current.AsSpan().IndexOf(System.Text.Encoding.UTF8.GetBytes(text));
        if (at >= 0)
        {
            Current[at] ^= 1;
        }
    }

    /// <summary>Keeps any part of the changes that were not synced.</summary>
    public void LosePower(Random random, PowerLoss loss)
    {
        foreach ((long offset, byte[]? bytes, long length) in _pending)
        {
            switch (loss == PowerLoss.Random ? (PowerLoss)random.Next(4) : loss)
            {
                case PowerLoss.KeepsAll:
                    _durable = bytes is null ? Resized(_durable, length) : Written(_durable, bytes, offset);
                    break;
                case PowerLoss.Random when bytes is not null:
                    int end = random.Next(bytes.Length + 1);
                    _durable = Written(_durable, bytes.AsSpan(0, end), offset);
                    break;
                case PowerLoss.Sectors when bytes is not null:
                    WriteSectors(random, bytes, offset);
                    break;
                default:
                    break;
            }
        }

        _pending.Clear();
        Current = (byte[])_durable.Clone();
    }

    // A disk writes sectors in any order. The file system has the length if any later sector was written.
    private void WriteSectors(Random random, byte[] bytes, long offset)
    {
        for (int at = 0; at < bytes.Length;)
        {
            int next = Math.Min(bytes.Length, (int)(((offset + at + Sector) / Sector * Sector) - offset));
            if (random.Next(2) == 0)
            {
                _durable = Written(_durable, bytes.AsSpan(at, next - at), offset + at);
            }

            at = next;
        }
    }

    private static byte[] Written(byte[] content, ReadOnlySpan<byte> bytes, long offset)
    {
        if (content.Length < offset + bytes.Length)
        {
            Array.Resize(ref content, (int)offset + bytes.Length);
        }

        bytes.CopyTo(content.AsSpan((int)offset));
        return content;
    }

    private static byte[] Resized(byte[] content, long length)
    {
        Array.Resize(ref content, (int)length);
        return content;
    }
}
