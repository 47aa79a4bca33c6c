using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;

namespace Broker.Server.Delivery;

/// <summary>
/// Messages that one publisher sends, one behind the other, to the same many: kept within its batch until there are some, so that what
/// belongs to a target is fetched into the cache once for all of them, and what they are sent is written once and copied.
/// </summary>
/// <remarks>
/// A loop has one: there is no other publisher's before a batch has ended. What is kept is a copy, for it is small and its targets are
/// many. It is delivered before anything else is, so that nobody can tell.
/// </remarks>
internal sealed class MessageRun
{
    /// <summary>The longest operation that is kept: of longer ones the copies take the time.</summary>
    internal const int MostLength = 1024;

    private const int MostMessages = 64;
    private const int MostBytes = 16 * 1024;
    private const int EndLength = 2;

    // What a message is longer than its operation with the longest sid that is written here, and the space before that.
    private const int MoreThanOperation = Subscription.ShortSid + 1;

    // Of each: where its sid is in the text, where what follows that begins among the tails, its route, how long its payload is.
    private readonly int[] _sids = new int[MostMessages];
    private readonly int[] _tailStarts = new int[MostMessages + 1];
    private readonly Route?[] _routes = new Route?[MostMessages];
    private readonly int[] _payloads = new int[MostMessages];
    private readonly byte[] _tails = new byte[MostBytes];
    private readonly byte[] _text = new byte[MostBytes + sizeof(ulong)];
    private int _textLength;

    // The first of those to whom the last one went, or the last run. An ended one holds on to no client.
    private Subscription? _before;
    private int _sidLength;
    private ulong _sid;

    /// <summary>How many there are.</summary>
    internal int Count { get; private set; }

    /// <summary>Where they all go.</summary>
    internal ReadOnlySpan<Subscription> Recipients => _routes[0]!.Plain;

    /// <summary>Whose they are; null for none.</summary>
    internal Publisher? Publisher { get; private set; }

    /// <summary>About as many bytes as one target is sent.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Their payloads' lengths together.</summary>
    internal long PayloadBytes { get; private set; }

    /// <summary>Whether another one can be kept with these.</summary>
    internal bool HasRoomFor(Publisher publisher, Route route, int length)
        => Count == 0
            || (Publisher == publisher && Count < MostMessages && Bytes + length + MoreThanOperation <= MostBytes
                && (_routes[Count - 1] == route || IsForSame(route)));

    /// <summary>Keeps a plain one.</summary>
    /// <param name="publisher">Whose it is.</param>
    /// <param name="route">Where it goes.</param>
    /// <param name="operation">The message.</param>
    /// <param name="isSame">Whether the one before had the same subject.</param>
    /// <returns>False where it would be the first and the one before went to others: the next will too, then.</returns>
    internal bool TryAdd(Publisher publisher, Route route, PublishOperation operation, bool isSame)
    {
        if (Count == 0 && !isSame && route.Plain[0] != _before)
        {
            _before = route.Plain[0];
            return false;
        }

        Publisher = publisher;
        ReadOnlySpan<byte> tail = operation.Tail;
        int start = _tailStarts[Count];
        tail.CopyTo(_tails.AsSpan(start));
        _routes[Count] = route;
        _payloads[Count] = operation.Payload.Length;
        _tailStarts[++Count] = start + tail.Length;
        Bytes += operation.Length + MoreThanOperation;
        PayloadBytes += operation.Payload.Length;
        _textLength = 0;
        return true;
    }

    /// <summary>The route of one of them.</summary>
    internal Route RouteAt(int index) => _routes[index]!;

    /// <summary>One of them. What is shown is borrowed until <see cref="Clear"/>.</summary>
    internal Message At(int index)
    {
        ReadOnlySpan<byte> tail = Tail(index);
        return new Message(RouteAt(index).Subject, tail, tail.Slice(tail.Length - EndLength - _payloads[index], _payloads[index]));
    }

    /// <summary>All of them as a subscription of this sid, a short one, is sent them; borrowed until the next call.</summary>
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
        _before = _routes[0]?.Plain[0];
        Array.Clear(_routes, 0, Count);
        Count = 0;
        _textLength = 0;
        Publisher = null;
        Bytes = PayloadBytes = 0;
    }

    private ReadOnlySpan<byte> Tail(int index) => _tails.AsSpan(_tailStarts[index], _tailStarts[index + 1] - _tailStarts[index]);

    // The order is that in which they are found, mostly the same for the same ones.
    private bool IsForSame(Route route)
    {
        Subscription[] ours = _routes[0]!.Plain;
        Subscription[] others = route.Plain;
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
            // In range: what is kept is counted with all that is written here.
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
        // Eight bytes at a time: what is behind the sid is put back.
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
