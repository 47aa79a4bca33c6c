using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// The encoded commands that were published while no server was connected, in order. The memory grows up to the limit,
/// and an empty buffer has no memory. Used under the connection's gate.
/// </summary>
/// <param name="limit">The largest size in bytes, including the header of each entry.</param>
internal sealed class CommandBuffer(int limit)
{
    private delegate bool CommandTest(Header header, ReadOnlySpan<byte> command);

    private const int Smallest = 4096;

    private static readonly int HeaderSize = Marshal.SizeOf<Header>();

    private byte[] _bytes = [];
    private int _used;
    private long _request;

    /// <summary>The number of protocol bytes to send.</summary>
    internal int Length { get; private set; }

    internal int Messages { get; private set; }

    /// <summary>
    /// Returns space for <paramref name="size"/> bytes. The span is valid until the next call. It is empty if the
    /// command would exceed the limit.
    /// </summary>
    /// <param name="size">The number of bytes.</param>
    /// <param name="request">The number of the request that the command belongs to. The caller checks before sending
    /// whether the request is still pending. 0 if the command is not a request.</param>
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

    /// <summary>Removes requests that are no longer pending. Returns the number of removed requests.</summary>
    internal int RemoveCancelled(Func<long, bool> isAwaited)
        => RemoveWhere((header, _) => header.Request != 0 && !isAwaited(header.Request));

    /// <summary>
    /// Removes and returns the messages that a server with these limits does not accept. Returns null if the server
    /// accepts all.
    /// </summary>
    internal List<RefusedCommand>? RemoveRefused(int maxPayload, bool headers)
    {
        List<RefusedCommand>? refused = null;
        RemoveWhere((header, command) =>
        {
            int payload = WrittenCommand.PayloadOf(command);
            bool hasHeaders = command.StartsWith("HPUB "u8);
            if (payload <= maxPayload && (headers || !hasHeaders))
            {
                return false;
            }

            PublishStatus status = payload > maxPayload ? PublishStatus.PayloadTooLarge : PublishStatus.HeadersNotSupported;
            (refused ??= []).Add(new RefusedCommand(header.Request, payload, status));
            return true;
        });
        return refused;
    }

    internal void MoveTo(LoopWriteBuffer buffer)
    {
        for (int at = 0; at < _used;)
        {
            // The commands are written one by one, because unsent bytes are counted in whole commands.
            int length = HeaderAt(_bytes, at).Length;
            buffer.Write(_bytes.AsSpan(at + HeaderSize, length));
            at += HeaderSize + length;
        }

        Clear();
    }

    internal void Clear()
    {
        _bytes = [];
        _used = Length = Messages = 0;
    }

    private int RemoveWhere(CommandTest isRemoved)
    {
        int messages = Messages;
        byte[] bytes = _bytes;
        int end = _used;
        _used = Length = Messages = 0;
        for (int at = 0; at < end;)
        {
            Header header = HeaderAt(bytes, at);
            int size = HeaderSize + header.Length;
            if (!isRemoved(header, bytes.AsSpan(at + HeaderSize, header.Length)))
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

    private static Header HeaderAt(byte[] bytes, int at) => MemoryMarshal.Read<Header>(bytes.AsSpan(at));

    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private readonly struct Header(int length, long request)
    {
        internal readonly int Length = length;

        internal readonly long Request = request;
    }
}
