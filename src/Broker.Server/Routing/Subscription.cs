using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>One SUB of one client, or a subscription of a part of the server.</summary>
/// <remarks>
/// A client's subscription is created and closed on the client's loop. Publishers on any loop read it:
/// <see cref="IsClosed"/> shows a publisher that the subscription was closed after the publisher found it. There may be
/// millions of subscriptions, so an object has 64 bytes, and rare fields are in a separate object.
/// </remarks>
internal class Subscription : TokenEntry
{
    /// <summary>The longest sid that is written with one store, in bytes.</summary>
    internal const int ShortSid = 8;

    private readonly ulong _sidWord;
    private readonly byte _shortSidLength;
    private Extras? _extras;
    private long _delivered;
    private volatile bool _closed;

    internal Subscription(SubscriptionOwner? subscriber, byte[] filter, byte[]? queue, ReadOnlySpan<byte> sid)
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
    /// The owner; null after the subscription was closed. Old routes keep references to subscriptions, and must not
    /// keep clients alive.
    /// </summary>
    internal SubscriptionOwner? Subscriber { get; private set; }

    /// <summary>
    /// The subjects that the owner may receive at present; null for all subjects, and for a subscription without an
    /// owner.
    /// </summary>
    internal AccessRules? Access => Subscriber?.Access;

    /// <summary>
    /// Whether the subscription belongs to the server or to another account, and not to a client of this account.
    /// </summary>
    internal virtual bool IsInternal => Subscriber is { IsInternal: true };

    internal byte[] Filter => Bytes;

    /// <summary>The queue group; null for a subscription without a queue group.</summary>
    internal byte[]? Queue => _extras?.Queue;

    /// <summary>The sid. The span points into this object.</summary>
    internal ReadOnlySpan<byte> Sid
        => _shortSidLength <= ShortSid
            ? MemoryMarshal.CreateReadOnlySpan(in Unsafe.As<ulong, byte>(ref Unsafe.AsRef(in _sidWord)), _shortSidLength)
            : _extras!.LongSid;

    internal int SidLength => _shortSidLength <= ShortSid ? _shortSidLength : _extras!.LongSid.Length;

    /// <summary>The first eight bytes of the sid, padded with zeros.</summary>
    internal ulong SidWord => _sidWord;

    /// <summary>
    /// The number of deliveries after which the subscription ends; 0 for no limit. Set on the client's loop.
    /// </summary>
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

    /// <summary>
    /// The number of members of the queue group, if a peer server has subscribed; always 1 without a queue group.
    /// </summary>
    internal int Weight
    {
        get => _extras is { } extras ? extras.Weight : 1;
        set => _extras?.Weight = value;
    }

    internal bool IsClosed => _closed;

    internal long Delivered => Volatile.Read(ref _delivered);

    internal void Close()
    {
        _closed = true;
        Subscriber = null;
    }

    /// <summary>Counts deliveries if the server has only one loop.</summary>
    internal long Count(int deliveries = 1) => _delivered += deliveries;

    /// <summary>Counts deliveries if the server has several loops.</summary>
    internal long CountShared(int deliveries = 1) => Interlocked.Add(ref _delivered, deliveries);

    private sealed class Extras
    {
        internal byte[]? Queue { get; init; }

        internal byte[] LongSid { get; init; } = [];

        internal long Max { get; set; }

        internal int Weight { get; set; } = 1;
    }
}
