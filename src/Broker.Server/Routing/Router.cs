using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Broker.Protocol.Subjects;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// Who gets what. Thread-safe: one lock, taken when a subscription changes and when a publisher meets a subject that is not
/// remembered; a message on a known subject takes none.
/// </summary>
internal sealed class Router
{
    /// <summary>How many subjects are remembered; see <see cref="RouteTable"/>.</summary>
    internal const int RouteCapacity = 65_536;

    // What it takes to copy one of many that were found, as a part of looking at it.
    private const int FoundPerStep = 16;

    // What is found for a route to many is not kept for the next one.
    private const int MostKept = 4096;

    private readonly Lock _gate = new();

    // For small routes, which are built under the lock.
    private RouteBuild? _spare;

    private readonly SubscriptionTrie _subscriptions;
    private readonly RouteTable _routes;
    private readonly LargeRoutes _large;
    private readonly List<Subscription> _found = [];

    // The one that was given away last for single messages: the next is mostly for the same subscription.
    private Route? _once;

    private readonly Route _nobody = Route.ToNobody();
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

            _internal -= subscription.IsInternal ? 1 : 0;
            subscription.Close();
            if (_once?.Plain[0] == subscription)
            {
                _once = null;
            }

            _subscriptions.Remove(subscription);
            _counts.Removes++;
            work += Expire(subscription.Filter) + _large.Remove(subscription);
            return true;
        }
    }

    /// <summary>What the subscription's client may receive has changed: messages published after the return go by that.</summary>
    internal void Refresh(Subscription subscription)
    {
        lock (_gate)
        {
            _routes.Expire(subscription.Filter);
            _large.Expire(subscription);
        }
    }

    /// <summary>Routes that are remembered, for whoever looks for one without a lock.</summary>
    internal RouteSets Remembered => _routes.BySubject;

    /// <summary>The current route of a subject, if it is remembered: no lock is taken. Routes to very many are not found so.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? FindKnown(ReadOnlySpan<byte> subject, uint hash) => _routes.Find(subject, hash);

    /// <summary>The route of a subject, current at the time of the return. It is remembered.</summary>
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
        uint hash = ByteHash.Compute(subject, Seed);
        if (FindKnown(subject, hash) is { } known)
        {
            return known;
        }

        if (FindOrBegin(subject, hash, atFirstSight: true, 0, ref work, out RouteBuild? build) is { } route)
        {
            return route;
        }

        work += build!.Advance(int.MaxValue);
        return End(build);
    }

    /// <summary>
    /// The route of a subject; null where it leads to so many that it must be built first, outside the lock and in parts if need be:
    /// <see cref="End"/> or <see cref="Abandon"/> must follow. One that is not remembered has expired already.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="hash">Its hash by the seed of this router.</param>
    /// <param name="atFirstSight">Whether it is remembered in any case, and not only if it seems to come again.</param>
    /// <param name="hits">How many the caller has found without this.</param>
    /// <param name="work">Is increased by how many places and subscriptions were looked at.</param>
    /// <param name="build">What must be built.</param>
    internal Route? FindOrBegin(ReadOnlySpan<byte> subject, uint hash, bool atFirstSight, int hits, ref long work, out RouteBuild? build)
    {
        lock (_gate)
        {
            build = null;
            _counts.Asked++;
            _counts.Matches += hits + 1;
            _counts.Hits += hits;
            if ((FindKnown(subject, hash) ?? _large.Find(subject)) is { } known)
            {
                _counts.Hits++;
                return known;
            }

            _routes.CountMiss(hits);
            Match(subject, ref work);
            bool isKept = atFirstSight || _found.Count >= LargeRoutes.Least || _routes.IsWorthKeeping(hash);
            if (FindAtOnce(subject, hash, isKept) is { } atOnce)
            {
                return atOnce;
            }

            // Out of its place while it is used: what is imported may lead back here.
            RouteBuild begun = _spare ?? new RouteBuild(Seed);
            _spare = null;
            begun.Begin(subject.ToArray(), TakeFound());
            if (begun.Found < LargeRoutes.Least)
            {
                begun.Advance(int.MaxValue);
                Route route = begun.ToRoute();
                Count(begun);
                begun.Clear();
                _spare = begun;
                if (isKept)
                {
                    _routes.Add(route, hash);
                }
                else
                {
                    route.Expire();
                }

                return route;
            }

            _large.Begin(begun);
            build = begun;
            return null;
        }
    }

    // What needs no building, of many subjects that are published to once: to nobody, or to one and for this once. Null for others.
    private Route? FindAtOnce(ReadOnlySpan<byte> subject, uint hash, bool isKept)
    {
        if (_found.Count == 0)
        {
            _counts.Built++;
            if (!isKept)
            {
                return _nobody;
            }

            var nobody = new Route(subject.ToArray(), [], [], [], 0);
            _routes.Add(nobody, hash);
            return nobody;
        }

        if (!isKept && _found is [{ Queue: null, IsInternal: false } only] && only.Access is not { LimitsReceiving: true })
        {
            _found.Clear();
            _counts.Built++;
            _counts.Fanout++;
            _counts.MaxFanout = Math.Max(_counts.MaxFanout, 1);
            return _once?.Plain[0] == only ? _once : _once = Route.Once(only);
        }

        return null;
    }

    /// <summary>The route that has been built: it has all that were there when the build began, and is kept if it can still be told of changes.</summary>
    internal Route End(RouteBuild build)
    {
        Route route = build.ToRoute();
        lock (_gate)
        {
            _large.End(build);
            uint hash = ByteHash.Compute(build.Subject, Seed);
            if ((FindKnown(build.Subject, hash) ?? _large.Find(build.Subject)) is { } known)
            {
                return known;
            }

            Count(build);
            // By what it was built of: permissions may have left few.
            if (!build.IsOutOfDate && build.MemberCount >= LargeRoutes.Least)
            {
                route.Grow(new RouteGrowth(build.MemberCount, build.GroupsByName, Seed));
                _large.Add(route);
                _large.CatchUp(route, build);
            }
            else if (!build.IsOutOfDate && build.Late.Count + build.Gone == 0)
            {
                _routes.Add(route, hash);
            }
            else
            {
                route.Expire();
            }

            return route;
        }
    }

    /// <summary>The route is not wanted any more.</summary>
    internal void Abandon(RouteBuild build)
    {
        lock (_gate)
        {
            _large.End(build);
        }
    }

    private void Match(ReadOnlySpan<byte> subject, ref long work)
    {
        _found.Clear();
        if (Subject.HasNoEmptyToken(subject))
        {
            long before = _subscriptions.Steps;
            _subscriptions.Match(subject, _found);
            work += _subscriptions.Steps - before + (_found.Count / FoundPerStep);
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

    private void Count(RouteBuild build)
    {
        _counts.Built++;
        _counts.Fanout += build.MemberCount;
        _counts.MaxFanout = Math.Max(_counts.MaxFanout, build.MemberCount);
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
        Subscription[] all;
        bool hasInternal;
        lock (_gate)
        {
            long work = 0;
            Match(subject, ref work);
            all = TakeFound();
            hasInternal = _internal != 0;
        }

        return hasInternal ? Array.FindAll(all, static s => !s.IsInternal) : all;
    }

    /// <summary>Whether the caller has the lock, for tests.</summary>
    internal bool IsHeld => _gate.IsHeldByCurrentThread;
}
