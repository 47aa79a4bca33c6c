using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Broker.Server;

/// <summary>
/// Finds the subscribers of a subject within one account. Thread-safe. The router takes a lock when a subscription
/// changes, and when a publisher uses a subject without a stored route. It takes no lock for a message on a subject
/// with a stored route.
/// </summary>
internal sealed partial class Router
{
    /// <summary>The number of routes that are stored; see <see cref="RouteTokenIndex"/>.</summary>
    internal const int RouteCapacity = 65_536;

    private readonly Lock _gate = new();

    private readonly SubscriptionTrie _subscriptions;
    private readonly RouteTokenIndex _routes;
    private readonly LargeRoutes _large;
    private readonly FoundSubscriptions _found;

    // The last route that was created for a single message to one subscription. The next such message mostly has the
    // same subscription.
    private Route? _singleMessageRoute;

    private readonly Route _withoutSubscribers = Route.WithoutSubscribers();
    private RouterCounts _counts;
    private InterestObservers _observers = new();

    // The number of subscriptions that do not belong to clients of this account.
    private int _internalCount;

    internal Router()
    {
        Seed = MemoryMarshal.Read<ulong>(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _subscriptions = new SubscriptionTrie(Seed);
        _found = new FoundSubscriptions(_subscriptions);
        _routes = new RouteTokenIndex(Seed, RouteCapacity);
        _large = new LargeRoutes(Seed);
        Reservations = new Reservations(this);
    }

    /// <summary>The subjects that only some clients may use.</summary>
    internal Reservations Reservations { get; }

    /// <summary>The name of this router's account, escaped for use between the quotes of a JSON string.</summary>
    internal byte[] JsonName { get; init; } = [];

    /// <summary>The seed of this router's hashes.</summary>
    internal ulong Seed { get; }

    /// <summary>The number of subscriptions that clients of this account have made.</summary>
    internal int SubscriptionCount
    {
        get
        {
            lock (_gate)
            {
                return _subscriptions.Count - _internalCount;
            }
        }
    }

    /// <summary>
    /// The trie of subscriptions, for tests that count its nodes. Tests must read it only while no other thread uses
    /// the router.
    /// </summary>
    internal SubscriptionTrie Subscriptions => _subscriptions;

    /// <summary>
    /// The stored routes, for tests that count them. Tests must read it only while no other thread uses the router.
    /// </summary>
    internal RouteTokenIndex Routes => _routes;

    /// <summary>
    /// Adds a subscription. It receives every message that is published after the method has returned.
    /// </summary>
    internal void Add(Subscription subscription)
    {
        long work = 0;
        Add(subscription, ref work);
    }

    /// <inheritdoc cref="Add(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Increased by the number of visited nodes and routes.</param>
    internal void Add(Subscription subscription, ref long work)
    {
        lock (_gate)
        {
            _subscriptions.Add(subscription);
            _internalCount += subscription.IsInternal ? 1 : 0;
            _counts.Inserts++;
            _observers.Report(subscription, isAdded: true);
            work += Expire(subscription.Filter) + _large.Add(subscription);
        }
    }

    /// <summary>Removes a subscription. Returns false if it was already removed.</summary>
    internal bool Remove(Subscription subscription)
    {
        long work = 0;
        return Remove(subscription, ref work);
    }

    /// <inheritdoc cref="Remove(Subscription)"/>
    /// <param name="subscription">The subscription.</param>
    /// <param name="work">Increased by the number of visited nodes and routes.</param>
    internal bool Remove(Subscription subscription, ref long work)
    {
        lock (_gate)
        {
            if (subscription.IsClosed)
            {
                return false;
            }

            _internalCount -= subscription.IsInternal ? 1 : 0;
            _observers.Report(subscription, isAdded: false);
            subscription.Close();
            if (_singleMessageRoute?.PlainSubscriptions[0] == subscription)
            {
                _singleMessageRoute = null;
            }

            _subscriptions.Remove(subscription);
            _counts.Removes++;
            work += Expire(subscription.Filter) + _large.Remove(subscription);
            return true;
        }
    }

    /// <summary>
    /// Reports the current subscriptions to an observer, and later every change. The observer is called under the
    /// router's lock.
    /// </summary>
    internal void Observe(IInterestObserver observer)
    {
        lock (_gate)
        {
            _observers.Add(observer, [.. _subscriptions.ToList(), .. _mappedInterest]);
        }
    }

    /// <summary>Ends the reports to an observer.</summary>
    internal void StopObserving(IInterestObserver observer)
    {
        lock (_gate)
        {
            _observers.Remove(observer);
        }
    }

    /// <summary>
    /// Applies changed permissions of the subscription's client. They apply to every message that is published after
    /// the method has returned.
    /// </summary>
    internal void Refresh(Subscription subscription)
    {
        lock (_gate)
        {
            _routes.Expire(subscription.Filter);
            _large.Expire(subscription);
        }
    }

    /// <summary>The stored routes. Any thread may search them without a lock.</summary>
    internal RouteHashTable StoredRoutes => _routes.BySubject;

    /// <summary>
    /// Returns the current route of a subject; null if the route is not stored. Takes no lock. Does not find large
    /// routes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? FindStored(ReadOnlySpan<byte> subject, uint hash) => _routes.Find(subject, hash);

    /// <summary>Returns and stores the route of a subject. The route is current when the method returns.</summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        long work = 0;
        return Find(subject, ref work);
    }

    /// <summary>
    /// Returns the route of a subject for the current message. It is stored only if the subject will probably be used
    /// again: most subjects of answers are used once.
    /// </summary>
    internal Route FindForNow(ReadOnlySpan<byte> subject)
    {
        long work = 0;
        return Find(subject, storeAlways: false, ref work);
    }

    /// <inheritdoc cref="Find(ReadOnlySpan{byte})"/>
    /// <param name="subject">The subject.</param>
    /// <param name="work">Increased by the number of visited nodes and subscriptions.</param>
    internal Route Find(ReadOnlySpan<byte> subject, ref long work) => Find(subject, storeAlways: true, ref work);

    private Route Find(ReadOnlySpan<byte> subject, bool storeAlways, ref long work)
    {
        uint hash = ByteHash.Compute(subject, Seed);
        if (FindStored(subject, hash) is { } known)
        {
            return known;
        }

        if (FindOrBeginBuild(subject, hash, storeAlways, 0, ref work, out RouteBuild? build) is { } route)
        {
            return route;
        }

        return Complete(build!, ref work);
    }

    private long Expire(ReadOnlySpan<byte> filter)
    {
        long before = _routes.Steps;
        _routes.Expire(filter);
        return _routes.Steps - before;
    }

    internal RouterCounts Count()
    {
        lock (_gate)
        {
            return _counts with { Subscriptions = _subscriptions.Count - _internalCount, Routes = _routes.Count + _large.Count };
        }
    }

    /// <summary>
    /// Returns every subscription of this account's clients whose filter matches the subject. Does not store a route.
    /// </summary>
    internal Subscription[] Match(ReadOnlySpan<byte> subject)
    {
        Subscription[] all;
        bool hasInternal;
        lock (_gate)
        {
            long work = 0;
            _found.Search(subject, ref work);
            all = _found.Take();
            hasInternal = _internalCount != 0;
        }

        return hasInternal ? Array.FindAll(all, static s => !s.IsInternal) : all;
    }

    /// <summary>Whether the calling thread owns the lock, for tests.</summary>
    internal bool IsLockHeld => _gate.IsHeldByCurrentThread;
}
