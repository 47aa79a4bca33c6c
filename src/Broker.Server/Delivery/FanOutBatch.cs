using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Consecutive messages of one publisher that have the same many subscriptions. They are collected from the bytes that
/// were received together. Then each target is loaded into the CPU cache only once for all messages, and the bytes for
/// the targets are formatted once and copied.
/// </summary>
/// <remarks>
/// One instance for each loop is sufficient, because the loop processes all received bytes of one publisher before the
/// bytes of another publisher. The messages are copied: they are small and have many targets. They are delivered before
/// anything else is sent, so the order is preserved.
/// </remarks>
internal sealed class FanOutBatch
{
    /// <summary>
    /// The length of the longest operation that is collected. The copy of a longer operation costs more than it saves.
    /// </summary>
    internal const int MaxLength = 1024;

    private const int MaxMessages = 64;
    private const int MaxBytes = 16 * 1024;
    private const int EndLength = 2;

    // The bytes that a message has in addition to the bytes of its operation: the longest sid that is written here, and
    // a space.
    private const int AdditionalLength = Subscription.ShortSid + 1;

    // For each message: the position of its sid in the text, the start of its tail, its route, and the length of its
    // payload.
    private readonly int[] _sids = new int[MaxMessages];
    private readonly int[] _tailStarts = new int[MaxMessages + 1];
    private readonly Route?[] _routes = new Route?[MaxMessages];
    private readonly int[] _payloads = new int[MaxMessages];
    private readonly byte[] _tails = new byte[MaxBytes];
    private readonly byte[] _text = new byte[MaxBytes + sizeof(ulong)];
    private int _textLength;

    // The first subscription that received the previous message or batch. A closed subscription has no reference to its
    // client, so this field keeps no client alive.
    private Subscription? _previous;
    private int _sidLength;
    private ulong _sid;

    /// <summary>The number of collected messages.</summary>
    internal int Count { get; private set; }

    /// <summary>The subscriptions that receive all these messages.</summary>
    internal ReadOnlySpan<Subscription> Recipients => _routes[0]!.PlainSubscriptions;

    /// <summary>The publisher of the messages; null if the batch is empty.</summary>
    internal RoutingPublisher? Publisher { get; private set; }

    /// <summary>The approximate number of bytes that one target will receive.</summary>
    internal long Bytes { get; private set; }

    /// <summary>The sum of the payload lengths.</summary>
    internal long PayloadBytes { get; private set; }

    /// <summary>Whether another message fits into this batch.</summary>
    internal bool Fits(RoutingPublisher publisher, Route route, int length)
        => Count == 0
            || (Publisher == publisher && Count < MaxMessages && Bytes + length + AdditionalLength <= MaxBytes
                && (_routes[Count - 1] == route || HasSameSubscriptions(route)));

    /// <summary>Adds a message without headers and reply.</summary>
    /// <param name="publisher">The publisher of the message.</param>
    /// <param name="route">The route of the message.</param>
    /// <param name="operation">The message.</param>
    /// <param name="isSame">Whether the previous message had the same subject.</param>
    /// <returns>
    /// False if the batch is empty and the previous message had other subscribers. Then the next message probably has
    /// other subscribers too, so that a batch is not worth its cost.
    /// </returns>
    internal bool TryAdd(RoutingPublisher publisher, Route route, PublishOperation operation, bool isSame)
    {
        if (Count == 0 && !isSame && route.PlainSubscriptions[0] != _previous)
        {
            _previous = route.PlainSubscriptions[0];
            return false;
        }

        Publisher = publisher;
        ReadOnlySpan<byte> tail = operation.Tail;
        int start = _tailStarts[Count];
        tail.CopyTo(_tails.AsSpan(start));
        _routes[Count] = route;
        _payloads[Count] = operation.Payload.Length;
        _tailStarts[++Count] = start + tail.Length;
        Bytes += operation.Length + AdditionalLength;
        PayloadBytes += operation.Payload.Length;
        _textLength = 0;
        return true;
    }

    /// <summary>Returns the route of a message.</summary>
    internal Route RouteAt(int index) => _routes[index]!;

    /// <summary>Returns a message. Its spans are valid until <see cref="Clear"/>.</summary>
    internal RoutedMessage At(int index)
    {
        ReadOnlySpan<byte> tail = Tail(index);
        return new RoutedMessage(RouteAt(index).Subject, tail, tail.Slice(tail.Length - EndLength - _payloads[index], _payloads[index]));
    }

    /// <summary>
    /// Returns the bytes of all messages for a subscription with a short sid. The bytes are valid until the next call.
    /// </summary>
    internal ReadOnlySpan<byte> TextFor(ulong sid, int length)
    {
        if (_textLength == 0 || length != _sidLength)
        {
            Write(sid, length);
        }
        else if (sid != _sid)
        {
            WriteSid(sid, length);
        }

        return _text.AsSpan(0, _textLength);
    }

    internal void Clear()
    {
        _previous = _routes[0]?.PlainSubscriptions[0];
        Array.Clear(_routes, 0, Count);
        Count = 0;
        _textLength = 0;
        Publisher = null;
        Bytes = PayloadBytes = 0;
    }

    private ReadOnlySpan<byte> Tail(int index) => _tails.AsSpan(_tailStarts[index], _tailStarts[index + 1] - _tailStarts[index]);

    // Equal sets of subscriptions mostly have the same order, because the trie finds them in the same order.
    private bool HasSameSubscriptions(Route route)
    {
        Subscription[] ours = _routes[0]!.PlainSubscriptions;
        Subscription[] others = route.PlainSubscriptions;
        if (ours.Length != others.Length)
        {
            return false;
        }

        for (int i = 0; i < ours.Length; i++)
        {
            if (ours[i] != others[i])
            {
                return false;
            }
        }

        return true;
    }

    private void Write(ulong sid, int length)
    {
        Span<byte> text = _text;
        int at = 0;
        for (int i = 0; i < Count; i++)
        {
            byte[] subject = RouteAt(i).Subject;
            ReadOnlySpan<byte> tail = Tail(i);
            // The text fits: TryAdd and HasRoomFor have counted all bytes that are written here.
            MessageHead.Write(ref text[at], subject, sid);
            at += MessageHead.Overhead + subject.Length;
            _sids[i] = at;
            at += length;
            tail.CopyTo(text[at..]);
            at += tail.Length;
        }

        _textLength = at;
        _sidLength = length;
        _sid = sid;
    }

    private void WriteSid(ulong sid, int length)
    {
        // Writes eight bytes at a time and keeps the bytes after the sid.
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        bytes.Clear();
        bytes[..length].Fill(byte.MaxValue);
        ulong mask = MemoryMarshal.Read<ulong>(bytes);
        foreach (int at in _sids.AsSpan(0, Count))
        {
            ref byte place = ref _text[at];
            Unsafe.WriteUnaligned(ref place, (Unsafe.ReadUnaligned<ulong>(ref place) & ~mask) | (sid & mask));
        }

        _sid = sid;
    }
}
