using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// Lists the subscriptions of clients in pages, ordered by sid. An event loop copies the subscriptions in slices, so
/// that a client with very many subscriptions does not block other clients. A long sorted list is kept, so that the
/// next page costs only the work for its own entries. Thread-safe.
/// </summary>
internal sealed class SubscriptionListings
{
    /// <summary>The number of subscriptions that a loop copies at a time.</summary>
    internal const int Slice = 4096;

    // A shorter list is sorted again for each page. A longer list is kept: its array is in the large object heap, which
    // the garbage collector frees rarely.
    private const int Long = 16_384;

    // The maximum number of attempts if the subscriptions change during the copy. The last attempt copies them in one
    // piece.
    private const int MostTries = 3;

    private const int KeyBytes = 15;

    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(5);

    // A sorted list is kept while the client's subscription table exists, until the garbage collector frees the list.
    private readonly ConditionalWeakTable<SubscriptionsBySid, Listing> _known = [];
    private long _ordered;

    /// <summary>The number of times that a list was sorted.</summary>
    internal long Ordered => Interlocked.Read(ref _ordered);

    /// <summary>
    /// Returns at most <paramref name="most"/> subscriptions of a client, ordered by sid, beginning with index
    /// <paramref name="skip"/>.
    /// </summary>
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

    /// <summary>Sorts subscriptions by sid. A shorter sid is a smaller number.</summary>
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

            // Equal keys belong to long sids with the same first bytes.
            if (to - from > 1)
            {
                Array.Sort(subscriptions, from, to - from, BySid.Comparer);
            }

            from = to;
        }
    }

    // The keys are integers, so that sorting need not read the subscriptions.
    private static UInt128 KeyOf(ReadOnlySpan<byte> sid)
    {
        Span<byte> key = stackalloc byte[1 + KeyBytes];
        key.Clear();
        key[0] = (byte)Math.Min(sid.Length, byte.MaxValue);
        // All sids that are too long for a length of one byte have the same key.
        sid[..(sid.Length < byte.MaxValue ? Math.Min(sid.Length, KeyBytes) : 0)].CopyTo(key[1..]);
        return BinaryPrimitives.ReadUInt128BigEndian(key);
    }

    private static async Task<(Subscription[] Copied, long Version)> CopyAsync(
        ClientSession session, SubscriptionsBySid table, CancellationToken cancellationToken)
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
                // A loop that has ended runs no posted work.
                if (await Task.WhenAny(done.Task, Task.Delay(WaitLimit, cancellationToken)).ConfigureAwait(false) != done.Task)
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
