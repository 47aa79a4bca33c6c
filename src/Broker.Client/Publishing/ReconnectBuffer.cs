using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// Whole commands that are published while no server is connected, encoded, in order. Grows with what is kept, up to its
/// limit, and holds no memory while it is empty. Used under the connection's gate.
/// </summary>
/// <param name="limit">How many bytes it may hold, its own headers included.</param>
internal sealed class ReconnectBuffer(int limit)
{
    private const int Smallest = 4096;

    private static readonly int HeaderSize = Marshal.SizeOf<Header>();

    private byte[] _bytes = [];
    private int _used;
    private long _request;

    /// <summary>What would be sent, in bytes.</summary>
    internal int Length { get; private set; }

    internal int Messages { get; private set; }

    /// <summary>Room for <paramref name="size"/> bytes, good until the next call; empty when the limit does not allow it.</summary>
    /// <param name="size">How many bytes.</param>
    /// <param name="request">The number of the request that it is, to be asked for before it is sent; 0 for what is none.</param>
    internal Span<byte> GetSpan(int size, long request)
    {
        if (size > limit - _used - HeaderSize)
        {
            return default;
        }

        int needed = _used + HeaderSize + size;
        if (_bytes.Length < needed)
        {
            long doubled = Math.Max(_bytes.Length * 2L, Smallest);
            Array.Resize(ref _bytes, (int)Math.Min(limit, Math.Max(needed, doubled)));
        }

        _request = request;
        return _bytes.AsSpan(_used + HeaderSize);
    }

    internal void Advance(int count)
    {
        var header = new Header(count, _request);
        MemoryMarshal.Write(_bytes.AsSpan(_used), in header);
        _used += HeaderSize + count;
        Length += count;
        Messages++;
    }

    /// <summary>Takes requests out that nobody waits for any more. Returns how many.</summary>
    internal int Withdraw(Func<long, bool> isAwaited)
    {
        int messages = Messages;
        byte[] bytes = _bytes;
        int end = _used;
        _used = Length = Messages = 0;
        for (int at = 0; at < end;)
        {
            Header header = HeaderAt(bytes, at);
            int size = HeaderSize + header.Length;
            if (header.Request == 0 || isAwaited(header.Request))
            {
                bytes.AsSpan(at, size).CopyTo(bytes.AsSpan(_used));
                _used += size;
                Length += header.Length;
                Messages++;
            }

            at += size;
        }

        return messages - Messages;
    }

    internal void MoveTo(LoopWriteBuffer stage)
    {
        for (int at = 0; at < _used;)
        {
            // One by one: what is not sent of a stage is counted by whole commands.
            int length = HeaderAt(_bytes, at).Length;
            stage.Write(_bytes.AsSpan(at + HeaderSize, length));
            at += HeaderSize + length;
        }

        Clear();
    }

    internal void Clear()
    {
        _bytes = [];
        _used = Length = Messages = 0;
    }

    private static Header HeaderAt(byte[] bytes, int at) => MemoryMarshal.Read<Header>(bytes.AsSpan(at));

    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private readonly struct Header(int length, long request)
    {
        internal readonly int Length = length;

        internal readonly long Request = request;
    }
}
