using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>One SUB of one client, or a filter that a part of the server listens to.</summary>
/// <remarks>
/// A client's is made and ended on its loop. Publishers on any loop read it; <see cref="IsClosed"/> tells them that it has
/// ended between their finding it and their using it. There may be millions: 64 bytes with what few have apart, and the filter.
/// </remarks>
internal class Subscription : TokenEntry
{
    /// <summary>Sids of up to this many bytes are written with one store.</summary>
    internal const int ShortSid = 8;

    private readonly ulong _sidWord;
    private readonly byte _shortSidLength;
    private Extras? _extras;
    private long _delivered;
    private volatile bool _closed;

    internal Subscription(Subscriber? subscriber, byte[] filter, byte[]? queue, ReadOnlySpan<byte> sid)
        : base(filter)
    {
        Subscriber = subscriber;
        Span<byte> word = stackalloc byte[ShortSid];
        word.Clear();
        sid[..Math.Min(sid.Length, ShortSid)].CopyTo(word);
        _sidWord = MemoryMarshal.Read<ulong>(word);
        bool isLong = sid.Length > ShortSid;
        _shortSidLength = isLong ? byte.MaxValue : (byte)sid.Length;
        if (isLong || queue is not null)
        {
            _extras = new Extras { Queue = queue, LongSid = isLong ? sid.ToArray() : [] };
        }
    }

    /// <summary>
    /// Whose it is; null once it has ended. Routes that nobody has asked for since hold on to subscriptions, and must not hold on to clients.
    /// </summary>
    internal Subscriber? Subscriber { get; private set; }

    /// <summary>What that may receive, at this time; null for everything. Routers may be used without subscribers.</summary>
    internal AccessRules? Access => Subscriber?.Access;

    /// <summary>Whether no client of the router's account has made it.</summary>
    internal virtual bool IsInternal => Subscriber is { IsInternal: true };

    internal byte[] Filter => Bytes;

    /// <summary>The queue group; null for a plain subscription.</summary>
    internal byte[]? Queue => _extras?.Queue;

    /// <summary>Borrowed from the subscription, for as long as that is held.</summary>
    internal ReadOnlySpan<byte> Sid
        => _shortSidLength <= ShortSid
            ? MemoryMarshal.CreateReadOnlySpan(in Unsafe.As<ulong, byte>(ref Unsafe.AsRef(in _sidWord)), _shortSidLength)
            : _extras!.LongSid;

    internal int SidLength => _shortSidLength <= ShortSid ? _shortSidLength : _extras!.LongSid.Length;

    /// <summary>The first eight bytes of the sid, padded with zeros.</summary>
    internal ulong SidWord => _sidWord;

    /// <summary>After how many deliveries it ends; 0 for never. Set on its client's loop.</summary>
    internal long Max
    {
        get => _extras is { } extras ? extras.Max : 0;
        set
        {
            if (_extras is { } extras)
            {
                extras.Max = value;
            }
            else if (value != 0)
            {
                Volatile.Write(ref _extras, new Extras { Max = value });
            }
        }
    }

    internal bool IsClosed => _closed;

    internal long Delivered => Volatile.Read(ref _delivered);

    internal void Close()
    {
        _closed = true;
        Subscriber = null;
    }

    /// <summary>Counts deliveries by the only loop there is.</summary>
    internal long Count(int deliveries = 1) => _delivered += deliveries;

    /// <summary>Counts deliveries by one of several loops.</summary>
    internal long CountShared(int deliveries = 1) => Interlocked.Add(ref _delivered, deliveries);

    private sealed class Extras
    {
        internal byte[]? Queue { get; init; }

        internal byte[] LongSid { get; init; } = [];

        internal long Max { get; set; }
    }
}
