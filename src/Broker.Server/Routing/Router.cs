using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Broker.Protocol.Subjects;
using Broker.Server.Collections;
using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>
/// Who gets what. Thread-safe: one lock, taken when a subscription changes and when a publisher meets a subject that its own
/// cache does not hold; a message on a known subject takes none.
/// </summary>
internal sealed class Router
{
    /// <summary>How many subjects are remembered; see <see cref="RouteTable"/>.</summary>
    internal const int RouteCapacity = 65_536;

    // Each time that a route was built and a subscription had changed meanwhile; then it is built under the lock.
    private const int MostTries = 3;

    // What is found for a route to many is not kept for the next one.
    private const int MostKept = 4096;

    private readonly Lock _gate = new();
    private readonly SubscriptionTrie _subscriptions;
    private readonly RouteTable _routes;
    private readonly LargeRoutes _large;
    private readonly List<Subscription> _found = [];

    // How often subscriptions have changed: a route that is built outside the lock must not be older than the last change.
    private long _changes;
    private RouterCounts _counts;

    // How many of the subscriptions are not of clients of this account.
    private int _internal;

    internal Router()
    {
        Seed = MemoryMarshal.Read<ulong>(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _subscriptions = new SubscriptionTrie(Seed);
        _routes = new RouteTable(Seed, RouteCapacity);
        _large = new LargeRoutes(Seed);
    }

    /// <summary>The name of the account whose subjects these are, between the quotes of a JSON string.</summary>
    internal byte[] JsonName { get; init; } = [];

    /// <summary>The seed of this router's hashes.</summary>
    internal ulong Seed { get; }

    /// <summary>How many clients of this account have made.</summary>
    internal int SubscriptionCount
    {
        get
        {
            lock (_gate)
            {
                return _subscriptions.Count - _internal;
            }
        }
    }

    /// <summary>The parts, for tests that count what they hold; to be looked at while nobody else uses the router.</summary>
    internal SubscriptionTrie Subscriptions => _subscriptions;

    /// <inheritdoc cref="Subscriptions"/>
    internal RouteTable Routes => _routes;

    /// <summary>Publishes that begin after the return reach the subscription.</summary>
    internal void Add(Subscription subscription)
    {
        long work = 0;
        Add(subscription, ref work);
    }

    /// <inheritdoc cref="Add(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Is increased by how many places were looked at.</param>
    internal void Add(Subscription subscription, ref long work)
    {
        lock (_gate)
        {
            _subscriptions.Add(subscription);
            _internal += subscription.IsInternal ? 1 : 0;
            _counts.Inserts++;
            _changes++;
            work += Expire(subscription.Filter) + _large.Add(subscription);
        }
    }

    /// <summary>Removes a subscription. False when that has been done already.</summary>
    internal bool Remove(Subscription subscription)
    {
        long work = 0;
        return Remove(subscription, ref work);
    }

    /// <inheritdoc cref="Remove(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Is increased by how many places were looked at.</param>
    internal bool Remove(Subscription subscription, ref long work)
    {
        lock (_gate)
        {
            if (subscription.IsClosed)
            {
                return false;
            }

            subscription.Close();
            _subscriptions.Remove(subscription);
            _internal -= subscription.IsInternal ? 1 : 0;
            _counts.Removes++;
            _changes++;
            work += Expire(subscription.Filter) + _large.Remove(subscription);
            return true;
        }
    }

    /// <summary>What the subscription's client may receive has changed: messages published after the return go by that.</summary>
    internal void Refresh(Subscription subscription)
    {
        lock (_gate)
        {
            _changes++;
            _routes.Expire(subscription.Filter);
            _large.Expire(subscription);
        }
    }

    /// <summary>The route of a subject, current at the time of the return.</summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        long work = 0;
        return Find(subject, ref work);
    }

    /// <inheritdoc cref="Find(ReadOnlySpan{byte})"/>
    /// <param name="subject">The subject.</param>
    /// <param name="work">Is increased by how many places and subscriptions were looked at.</param>
    internal Route Find(ReadOnlySpan<byte> subject, ref long work)
    {
        Subscription[] found;
        long changes;
        lock (_gate)
        {
            _counts.Matches++;
            if ((_routes.Find(subject, out RouteTable.SearchEnd end) ?? _large.Find(subject)) is { } known)
            {
                _counts.Hits++;
                return known;
            }

            Match(subject, ref work);
            if (_found.Count < LargeRoutes.Least)
            {
                Route route = Build(subject, _found);
                Count(route);
                _routes.Add(route, end);
                _found.Clear();
                return route;
            }

            changes = _changes;
            found = TakeFound();
        }

        return FindLarge(subject, found, changes, ref work);
    }

    // To build it takes long, and others need the lock.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Route FindLarge(ReadOnlySpan<byte> subject, Subscription[] found, long changes, ref long work)
    {
        for (int tries = 0; tries < MostTries; tries++)
        {
            Route built = Build(subject, [.. found]);
            lock (_gate)
            {
                if ((_routes.Find(subject, out RouteTable.SearchEnd end) ?? _large.Find(subject)) is { } known)
                {
                    return known;
                }

                if (changes == _changes)
                {
                    return Keep(built, end);
                }

                Match(subject, ref work);
                changes = _changes;
                found = TakeFound();
            }
        }

        lock (_gate)
        {
            if ((_routes.Find(subject, out RouteTable.SearchEnd end) ?? _large.Find(subject)) is { } known)
            {
                return known;
            }

            Match(subject, ref work);
            return Keep(Build(subject, [.. TakeFound()]), end);
        }
    }

    // Under the lock. By what it was built of: permissions may have left few.
    private Route Keep(Route route, RouteTable.SearchEnd end)
    {
        Count(route);
        if (route.Members >= LargeRoutes.Least)
        {
            _large.Add(route);
        }
        else
        {
            _routes.Add(route, end);
        }

        return route;
    }

    private void Match(ReadOnlySpan<byte> subject, ref long work)
    {
        _found.Clear();
        if (Subject.HasNoEmptyToken(subject))
        {
            long before = _subscriptions.Steps;
            _subscriptions.Match(subject, _found);
            work += _subscriptions.Steps - before + _found.Count;
        }
    }

    private Subscription[] TakeFound()
    {
        Subscription[] found = [.. _found];
        _found.Clear();
        if (_found.Capacity > MostKept)
        {
            _found.Capacity = 0;
        }

        return found;
    }

    private long Expire(ReadOnlySpan<byte> filter)
    {
        long before = _routes.Steps;
        _routes.Expire(filter);
        return _routes.Steps - before;
    }

    private void Count(Route route)
    {
        _counts.Built++;
        _counts.Fanout += route.Members;
        _counts.MaxFanout = Math.Max(_counts.MaxFanout, route.Members);
    }

    internal RouterCounts Count()
    {
        lock (_gate)
        {
            return _counts with { Subscriptions = _subscriptions.Count - _internal, Routes = _routes.Count + _large.Count };
        }
    }

    /// <summary>Every subscription of a client of this account whose filter matches the subject, without remembering a route for it.</summary>
    internal Subscription[] Match(ReadOnlySpan<byte> subject)
    {
        lock (_gate)
        {
            _found.Clear();
            _subscriptions.Match(subject, _found);
            Subscription[] all = _internal == 0 ? [.. _found] : [.. _found.Where(static s => !s.IsInternal)];
            _found.Clear();
            return all;
        }
    }

    // Reads what does not change, and what clients may receive: a change of that is a change of the subscription.
    private Route Build(ReadOnlySpan<byte> subject, List<Subscription> found)
    {
        RenamedDelivery[] renamed = [];
        if (found.Exists(static s => s.IsInternal))
        {
            renamed = ResolveInternal(subject, found);
        }

        LeaveOut(subject, found);
        // Most subjects have no queue group: then what was found is the route.
        bool plainOnly = renamed.Length == 0 && found.TrueForAll(static s => s.Queue is null);
        Subscription[] plain = plainOnly ? [.. found] : [.. found.Where(static s => s.Queue is null)];
        QueueGroup[] queues = plainOnly ? [] : Group(found, renamed);
        return new Route(subject.ToArray(), plain, queues, [.. renamed.Where(static r => r.Subscription.Queue is null)]);
    }

    // Takes the shadows out for what they lead to, and puts what the server has subscribed to itself behind the clients.
    private static RenamedDelivery[] ResolveInternal(ReadOnlySpan<byte> subject, List<Subscription> found)
    {
        byte[] bytes = subject.ToArray();
        RenamedDelivery[] renamed = [.. found.OfType<ShadowSubscription>().Select(s => s.Resolve(bytes)).OfType<RenamedDelivery>()];
        Subscription[] own = [.. found.Where(static s => s.IsInternal && s is not ShadowSubscription)];
        found.RemoveAll(static s => s.IsInternal);
        found.AddRange(own);
        return renamed;
    }

    // Members of one queue group may be in several accounts.
    private QueueGroup[] Group(List<Subscription> found, RenamedDelivery[] renamed)
    {
        var groups = new Dictionary<byte[], (List<Subscription> Members, List<RenamedDelivery> Renamed)>(new ByteKeyComparer(Seed));
        byte[]? name = null;
        List<Subscription> members = [];
        (List<Subscription> Members, List<RenamedDelivery> Renamed) Of(byte[] queue)
        {
            ref (List<Subscription>, List<RenamedDelivery>) known = ref CollectionsMarshal.GetValueRefOrAddDefault(groups, queue, out bool exists);
            return exists ? known : known = ([], []);
        }

        foreach (Subscription subscription in found)
        {
            if (subscription.Queue is { } queue)
            {
                // Of many subscriptions those of one group mostly stand together.
                if (name is null || !queue.AsSpan().SequenceEqual(name))
                {
                    (name, members) = (queue, Of(queue).Members);
                }

                members.Add(subscription);
            }
        }

        foreach (RenamedDelivery delivery in renamed)
        {
            if (delivery.Subscription.Queue is { } queue)
            {
                Of(queue).Renamed.Add(delivery);
            }
        }

        return [.. groups.Values.Select(static g => new QueueGroup([.. g.Members], [.. g.Renamed]))];
    }

    // Those who may not receive the subject are not in its route, however they came to be found: a delivery need not ask.
    private static void LeaveOut(ReadOnlySpan<byte> subject, List<Subscription> found)
    {
        int kept = 0;
        AccessRules? asked = null;
        bool answer = true;
        foreach (Subscription subscription in CollectionsMarshal.AsSpan(found))
        {
            AccessRules? access = subscription.Access;
            bool may = true;
            if (access is { LimitsReceiving: true })
            {
                // Users of one kind often come in numbers, and their plain subscriptions have one answer.
                may = access == asked && subscription.Queue is null ? answer : access.MayReceive(subject, subscription.Queue);
                if (subscription.Queue is null)
                {
                    (asked, answer) = (access, may);
                }
            }

            if (may)
            {
                found[kept++] = subscription;
            }
        }

        found.RemoveRange(kept, found.Count - kept);
    }
}
