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

    private readonly Lock _gate = new();
    private readonly SubscriptionTrie _subscriptions;
    private readonly RouteTable _routes;
    private readonly List<Subscription> _found = [];
    private RouterCounts _counts;

    // How many of the subscriptions are not of clients of this account.
    private int _internal;

    internal Router()
    {
        Seed = MemoryMarshal.Read<ulong>(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _subscriptions = new SubscriptionTrie(Seed);
        _routes = new RouteTable(Seed, RouteCapacity);
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
        lock (_gate)
        {
            _subscriptions.Add(subscription);
            _internal += subscription.IsInternal ? 1 : 0;
            _counts.Inserts++;
            _routes.Expire(subscription.Filter);
        }
    }

    /// <summary>Removes a subscription. False when that has been done already.</summary>
    internal bool Remove(Subscription subscription)
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
            _routes.Expire(subscription.Filter);
            return true;
        }
    }

    /// <summary>What the subscription's client may receive has changed: messages published after the return go by that.</summary>
    internal void Refresh(Subscription subscription)
    {
        lock (_gate)
        {
            _routes.Expire(subscription.Filter);
        }
    }

    /// <summary>The route of a subject, current at the time of the return.</summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        lock (_gate)
        {
            _counts.Matches++;
            if (_routes.Find(subject, out RouteTable.SearchEnd end) is { } known)
            {
                _counts.Hits++;
                return known;
            }

            Route route = Build(subject);
            _routes.Add(route, end);
            return route;
        }
    }

    internal RouterCounts Count()
    {
        lock (_gate)
        {
            return _counts with { Subscriptions = _subscriptions.Count - _internal, Routes = _routes.Count };
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

    private Route Build(ReadOnlySpan<byte> subject)
    {
        _found.Clear();
        RenamedDelivery[] renamed = [];
        if (Subject.HasNoEmptyToken(subject))
        {
            _subscriptions.Match(subject, _found);
            if (_internal != 0 && _found.Exists(static s => s.IsInternal))
            {
                renamed = ResolveInternal(subject);
            }

            LeaveOut(subject);
        }

        // Most subjects have no queue group: then what was found is the route.
        bool plainOnly = renamed.Length == 0 && _found.TrueForAll(static s => s.Queue is null);
        Subscription[] plain = plainOnly ? [.. _found] : [.. _found.Where(static s => s.Queue is null)];
        QueueGroup[] queues = plainOnly ? [] : Group(renamed);
        int fanout = _found.Count + renamed.Length;
        _counts.Built++;
        _counts.Fanout += fanout;
        _counts.MaxFanout = Math.Max(_counts.MaxFanout, fanout);
        _found.Clear();
        return new Route(subject.ToArray(), plain, queues, [.. renamed.Where(static r => r.Subscription.Queue is null)]);
    }

    // Takes the shadows out for what they lead to, and puts what the server has subscribed to itself behind the clients.
    private RenamedDelivery[] ResolveInternal(ReadOnlySpan<byte> subject)
    {
        byte[] bytes = subject.ToArray();
        RenamedDelivery[] renamed = [.. _found.OfType<ShadowSubscription>().Select(s => s.Resolve(bytes)).OfType<RenamedDelivery>()];
        Subscription[] own = [.. _found.Where(static s => s.IsInternal && s is not ShadowSubscription)];
        _found.RemoveAll(static s => s.IsInternal);
        _found.AddRange(own);
        return renamed;
    }

    // Members of one queue group may be in several accounts.
    private QueueGroup[] Group(RenamedDelivery[] renamed)
    {
        var groups = new Dictionary<byte[], (List<Subscription> Members, List<RenamedDelivery> Renamed)>(new ByteKeyComparer(Seed));
        (List<Subscription> Members, List<RenamedDelivery> Renamed) Of(byte[] queue)
        {
            ref (List<Subscription>, List<RenamedDelivery>) known = ref CollectionsMarshal.GetValueRefOrAddDefault(groups, queue, out bool exists);
            return exists ? known : known = ([], []);
        }

        foreach (Subscription subscription in _found)
        {
            if (subscription.Queue is { } queue)
            {
                Of(queue).Members.Add(subscription);
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
    private void LeaveOut(ReadOnlySpan<byte> subject)
    {
        int kept = 0;
        AccessRules? asked = null;
        bool answer = true;
        foreach (Subscription subscription in CollectionsMarshal.AsSpan(_found))
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
                _found[kept++] = subscription;
            }
        }

        _found.RemoveRange(kept, _found.Count - kept);
    }
}
