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

    // Where each one's sid is in the text, and how long the message is behind it; of each, how long its payload is.
    private readonly int[] _sids = new int[MostMessages];
    private readonly int[] _tailLengths = new int[MostMessages];
    private readonly int[] _payloads = new int[MostMessages];
    private readonly byte[] _tails = new byte[MostBytes];
    private readonly byte[] _text = new byte[MostBytes + sizeof(ulong)];
    private int _tailBytes;
    private int _textLength;
    private int _sidLength;
    private ulong _sid;

    /// <summary>How many there are.</summary>
    internal int Count { get; private set; }

    /// <summary>Where they all go; null for none.</summary>
    internal Route? Route { get; private set; }

    /// <summary>Whose they are; null for none.</summary>
    internal Publisher? Publisher { get; private set; }

    /// <summary>About as many bytes as one target is sent.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Their payloads' lengths together.</summary>
    internal long PayloadBytes { get; private set; }

    /// <summary>Whether another one can be kept with these.</summary>
    internal bool HasRoomFor(Publisher publisher, Route route, int length)
        => Count == 0
            || (Publisher == publisher && Route == route && Count < MostMessages && Bytes + length + MoreThanOperation <= MostBytes);

    /// <summary>Keeps a plain one.</summary>
    internal void Add(Publisher publisher, Route route, PublishOperation operation)
    {
        Publisher = publisher;
        Route = route;
        ReadOnlySpan<byte> tail = operation.Tail;
        tail.CopyTo(_tails.AsSpan(_tailBytes));
        _tailBytes += tail.Length;
        _tailLengths[Count] = tail.Length;
        _payloads[Count] = operation.Payload.Length;
        Count++;
        Bytes += operation.Length + MoreThanOperation;
        PayloadBytes += operation.Payload.Length;
        _textLength = 0;
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

    /// <summary>Goes through them one by one. What is shown is borrowed until <see cref="Clear"/>.</summary>
    public Enumerator GetEnumerator() => new(this);

    internal void Clear()
    {
        Count = 0;
        _tailBytes = 0;
        _textLength = 0;
        Publisher = null;
        Route = null;
        Bytes = PayloadBytes = 0;
    }

    private void Write(ulong sid, int length)
    {
        byte[] subject = Route!.Subject;
        Span<byte> text = _text;
        int at = 0;
        int tail = 0;
        for (int i = 0; i < Count; i++)
        {
            "MSG "u8.CopyTo(text[at..]);
            at += "MSG "u8.Length;
            subject.CopyTo(text[at..]);
            at += subject.Length;
            text[at++] = (byte)' ';
            _sids[i] = at;
            MemoryMarshal.Write(text[at..], in sid);
            at += length;
            _tails.AsSpan(tail, _tailLengths[i]).CopyTo(text[at..]);
            at += _tailLengths[i];
            tail += _tailLengths[i];
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

    internal ref struct Enumerator(MessageRun run)
    {
        private int _index = -1;
        private int _start;
        private int _end;

        public readonly Message Current
        {
            get
            {
                ReadOnlySpan<byte> tail = run._tails.AsSpan(_start, _end - _start);
                return new Message(run.Route!.Subject, tail, tail.Slice(tail.Length - EndLength - run._payloads[_index], run._payloads[_index]));
            }
        }

        public bool MoveNext()
        {
            if (++_index == run.Count)
            {
                return false;
            }

            _start = _end;
            _end += run._tailLengths[_index];
            return true;
        }
    }
}
