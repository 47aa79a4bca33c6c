using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Real;

/// <summary>A block of different messages that a publisher sends repeatedly. It is created on first use.</summary>
internal sealed class VariedFrames : IStream
{
    private const int LargestSend = 64 * 1024;

    private readonly int _cycle;
    private readonly Lazy<Block> _sent;
    private readonly Lazy<Block> _received;

    public VariedFrames(Traffic traffic)
    {
        _cycle = traffic.Cycle;
        _sent = new Lazy<Block>(() => new Block(_cycle, i => traffic.Publish(0, i)));
        _received = new Lazy<Block>(() => new Block(_cycle, i => traffic.Message(0, i, 1)));
    }

    public ReadOnlyMemory<byte> Received => _received.Value.Bytes;

    public void Prepare() => _ = _sent.Value;

    public void Send(RawConnection connection, long count, SendWindow? window = null)
    {
        Block sent = _sent.Value;
        long all = count;
        for (; count > 0; count -= _cycle)
        {
            int end = (int)Math.Min(count, _cycle);
            for (int from = 0; from < end;)
            {
                // Send whole frames, because a PONG may be sent between two sends.
                window?.Wait(all - count + from);
                int to = Math.Clamp(sent.FramesBefore(sent.Ends[from] + LargestSend), from + 1, end);
                connection.Send(sent.Bytes.AsSpan(sent.Ends[from], sent.Ends[to] - sent.Ends[from]));
                from = to;
            }
        }
    }

    public long ReceivedBytes(long count)
    {
        Block received = _received.Value;
        return (count / _cycle * received.Bytes.Length) + received.Ends[(int)(count % _cycle)];
    }

    private sealed class Block
    {
        public Block(int frames, Func<int, byte[]> frame)
        {
            Ends = new int[frames + 1];
            using var bytes = new MemoryStream();
            for (int i = 0; i < frames; i++)
            {
                bytes.Write(frame(i));
                Ends[i + 1] = (int)bytes.Length;
            }

            Bytes = GC.AllocateUninitializedArray<byte>((int)bytes.Length, pinned: true);
            bytes.GetBuffer().AsSpan(0, Bytes.Length).CopyTo(Bytes);
        }

        public byte[] Bytes { get; }

        /// <summary>The start position of each frame, and the end position of the last one.</summary>
        public int[] Ends { get; }

        /// <summary>Returns the number of frames that end at or before a position.</summary>
        public int FramesBefore(int place)
        {
            int at = Array.BinarySearch(Ends, place);
            return at >= 0 ? at : ~at - 1;
        }
    }
}
