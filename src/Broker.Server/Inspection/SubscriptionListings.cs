using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Broker.Server.Routing;
using Broker.Server.Sessions;

namespace Broker.Server.Inspection;

/// <summary>
/// The subscriptions of clients by their sids, page by page. Loops copy them in slices, so that nobody waits behind one who has very
/// many; and what was put in order is known for the next page, so that this costs no more than what is on it. Thread-safe.
/// </summary>
internal sealed class SubscriptionListings
{
    /// <summary>How many a loop copies at a time.</summary>
    internal const int Slice = 4096;

    // A shorter list is put in order anew. The array of a longer one is large for the collector, which leaves it alone for a while.
    private const int Long = 16_384;

    // Who subscribes all the time is copied in one piece after so many attempts.
    private const int MostTries = 3;

    private const int KeyBytes = 15;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    // An order is known for as long as the table is there and nobody needs the memory.
    private readonly ConditionalWeakTable<SubscriptionTable, Listing> _known = [];
    private long _ordered;

    /// <summary>How often a list was put in order.</summary>
    internal long Ordered => Interlocked.Read(ref _ordered);

    /// <summary>Up to <paramref name="most"/> subscriptions of a client, from the <paramref name="skip"/>-th by their sids on.</summary>
    internal async Task<ArraySegment<Subscription>> PageAsync(ClientSession session, int skip, int most, CancellationToken cancellationToken)
    {
        if (session.Subscriptions.Table is not { } table)
        {
            return [];
        }

        if (!_known.TryGetValue(table, out Listing? listing) || listing.Version != table.Version
            || !listing.Subscriptions.TryGetTarget(out Subscription[]? ordered))
        {
            (ordered, long version) = await CopyAsync(session, table, cancellationToken).ConfigureAwait(false);
            Order(ordered);
            Interlocked.Increment(ref _ordered);
            if (ordered.Length >= Long)
            {
                _known.AddOrUpdate(table, new Listing(version, new WeakReference<Subscription[]>(ordered)));
            }
        }

        int from = Math.Min(skip, ordered.Length);
        return new ArraySegment<Subscription>(ordered, from, Math.Min(most, ordered.Length - from));
    }

    /// <summary>A shorter sid is a smaller number.</summary>
    internal static void Order(Subscription[] subscriptions)
    {
        var keys = new UInt128[subscriptions.Length];
        for (int i = 0; i < keys.Length; i++)
        {
            keys[i] = KeyOf(subscriptions[i].Sid);
        }

        Array.Sort(keys, subscriptions);
        for (int from = 0; from < keys.Length;)
        {
            int to = from + 1;
            while (to < keys.Length && keys[to] == keys[from])
            {
                to++;
            }

            // What the keys do not tell apart are long sids that begin alike.
            if (to - from > 1)
            {
                Array.Sort(subscriptions, from, to - from, BySid.Comparer);
            }

            from = to;
        }
    }

    // Numbers are compared without a look at the objects they are of.
    private static UInt128 KeyOf(ReadOnlySpan<byte> sid)
    {
        Span<byte> key = stackalloc byte[1 + KeyBytes];
        key.Clear();
        key[0] = (byte)Math.Min(sid.Length, byte.MaxValue);
        // Those whose length does not fit are all alike here.
        sid[..(sid.Length < byte.MaxValue ? Math.Min(sid.Length, KeyBytes) : 0)].CopyTo(key[1..]);
        return BinaryPrimitives.ReadUInt128BigEndian(key);
    }

    private static async Task<(Subscription[] Copied, long Version)> CopyAsync(
        ClientSession session, SubscriptionTable table, CancellationToken cancellationToken)
    {
        for (int tries = 1; ; tries++)
        {
            var copied = new List<Subscription>(table.Count);
            int slice = tries == MostTries ? int.MaxValue : Slice;
            int slot = 0;
            long version = 0;
            bool isWhole = false;
            bool isSame = true;
            while (!isWhole && isSame)
            {
                var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                session.Loop.Post(() =>
                {
                    version = slot == 0 ? table.Version : version;
                    isSame = version == table.Version;
                    isWhole = isSame && table.Copy(copied, ref slot, slice);
                    done.TrySetResult();
                });
                // A loop that has ended runs nothing any more.
                if (await Task.WhenAny(done.Task, Task.Delay(Patience, cancellationToken)).ConfigureAwait(false) != done.Task)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    return ([], -1);
                }
            }

            if (isSame)
            {
                return ([.. copied], version);
            }
        }
    }

    private sealed record Listing(long Version, WeakReference<Subscription[]> Subscriptions);

    private sealed class BySid : IComparer<Subscription>
    {
        internal static BySid Comparer { get; } = new();

        public int Compare(Subscription? x, Subscription? y)
            => x!.SidLength == y!.SidLength ? x.Sid.SequenceCompareTo(y.Sid) : x.SidLength.CompareTo(y.SidLength);
    }
}
