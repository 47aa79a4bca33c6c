using System.Runtime.InteropServices;
using Broker.Server.Security;
using Broker.Server.Sessions;

namespace Broker.Server.Routing;

/// <summary>One SUB of one client.</summary>
/// <remarks>
/// Made and ended on its session's loop. Publishers on any loop read it; <see cref="IsClosed"/> tells them that it has
/// ended between their finding it and their using it.
/// </remarks>
internal class Subscription
{
    /// <summary>Sids of up to this many bytes are written with one store.</summary>
    internal const int ShortSid = 8;

    private long _delivered;
    private volatile bool _closed;

    internal Subscription(ClientSession session, byte[] filter, byte[]? queue, ReadOnlySpan<byte> sid)
    {
        Session = session;
        Filter = filter;
        Queue = queue;
        Sid = sid.ToArray();
        Span<byte> word = stackalloc byte[ShortSid];
        word.Clear();
        sid[..Math.Min(sid.Length, ShortSid)].CopyTo(word);
        SidWord = MemoryMarshal.Read<ulong>(word);
    }

    internal ClientSession Session { get; }

    /// <summary>What its client may receive, at this time; null for everything. Routers may be used without sessions.</summary>
    internal AccessRules? Access => Session?.Access;

    internal byte[] Filter { get; }

    /// <summary>The queue group; null for a plain subscription.</summary>
    internal byte[]? Queue { get; }

    internal byte[] Sid { get; }

    /// <summary>The first eight bytes of the sid, padded with zeros.</summary>
    internal ulong SidWord { get; }

    /// <summary>After how many deliveries it ends; 0 for never.</summary>
    internal long Max { get; set; }

    internal bool IsClosed => _closed;

    internal long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Where it stands in its node's bag; the router's.</summary>
    internal int Slot { get; set; }

    internal void Close() => _closed = true;

    /// <summary>Counts a delivery by the only loop there is.</summary>
    internal long Count() => ++_delivered;

    /// <summary>Counts a delivery by one of several loops.</summary>
    internal long CountShared() => Interlocked.Increment(ref _delivered);
}
