using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Benchmarks.Routing;

/// <summary>
/// Measures the way from a subject to its receivers, from the cheapest case to the most expensive one. The result is
/// the cost of one message.
/// </summary>
public class RoutingBenchmarks
{
    private const int Known = 16;

    // There are many more subjects than a router caches at their first use.
    private const int Strangers = 2 * Router.RouteCapacity;

    private readonly List<Subscription> _found = [];
    private Router _router = new();
    private RouteCache _cache;
    private SubscriptionTrie _trie = new(seed: 0);
    private SubscriptionSet _set = new(FilterKind.Literal, 0);
    private byte[][] _known = [];
    private byte[][] _strangers = [];

    [ParamsSource(nameof(Counts))]
    public int Subscriptions { get; set; }

    [ParamsSource(nameof(Kinds))]
    public FilterKind Filters { get; set; }

    public static IEnumerable<int> Counts => RunMode.Choose([1, 10_000], [1, 100, 10_000, 1_000_000]);

    public static IEnumerable<FilterKind> Kinds => RunMode.Choose([FilterKind.Literal, FilterKind.Mixed], Enum.GetValues<FilterKind>());

    [GlobalSetup]
    public void Setup()
    {
        _set = new SubscriptionSet(Filters, Subscriptions);
        // The subjects are spread over the whole set.
        _known = [.. Enumerable.Range(0, Known).Select(i => _set.Subject((int)(i * 7919L % Math.Max(Subscriptions, 4 * Known))))];
        _router = new Router();
        _trie = new SubscriptionTrie(_router.Seed);
        foreach (Subscription subscription in _set.Subscriptions)
        {
            _router.Add(subscription);
        }

        // The trie has its own subscriptions, because a subscription stores its place in one trie only.
        foreach (Subscription subscription in _set.Subscriptions)
        {
            _trie.Add(SubscriptionSet.Subscribe(subscription.Filter));
        }

        _strangers = [];
        _cache = new RouteCache(_router);
        foreach (byte[] subject in _known)
        {
            Check(subject);
        }

    }

    [GlobalSetup(Target = nameof(CacheMiss))]
    public void SetupStrangers()
    {
        Setup();
        _strangers = [.. Enumerable.Range(Known, Strangers).Select(_set.Subject)];
        CacheMiss();
    }

    /// <summary>The publisher has cached the subject's route.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Known)]
    public int CacheHit()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            matches += _cache.Find(subject).PlainSubscriptions.Length;
        }

        return matches;
    }

    /// <summary>Imports and the server itself use the table of all routes, without a lock.</summary>
    [Benchmark(OperationsPerInvoke = Known)]
    public int TableHit()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            matches += _router.Find(subject).PlainSubscriptions.Length;
        }

        return matches;
    }

    /// <summary>
    /// No route is cached, and there are so many subjects that none is cached at its first use: each message walks the
    /// trie.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Strangers)]
    public int CacheMiss()
    {
        int matches = 0;
        _router.Routes.Admission.ForgetRecentSubjects();
        foreach (byte[] subject in _strangers)
        {
            matches += _cache.Find(subject).PlainSubscriptions.Length;
        }

        return matches;
    }

    /// <summary>The walk of the trie alone, without caches.</summary>
    [Benchmark(OperationsPerInvoke = Known)]
    public int Trie()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            _found.Clear();
            _trie.Match(subject, _found);
            matches += _found.Count;
        }

        return matches;
    }

    /// <summary>Each message compares all filters.</summary>
    [Benchmark(OperationsPerInvoke = Known)]
    public int LinearScan()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            matches += Scan(subject);
        }

        return matches;
    }

    /// <summary>Before each message, another subject gets a SUB and an UNSUB. The publisher keeps its route.</summary>
    [Benchmark(OperationsPerInvoke = Known)]
    public int HitBesideChurn()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            SubscribeAndUnsubscribe("_INBOX.a7Qx.0001"u8);
            matches += _cache.Find(subject).PlainSubscriptions.Length;
        }

        return matches;
    }

    /// <summary>
    /// Before each message, its own subject gets a SUB and an UNSUB. The route must be resolved again.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Known)]
    public int ChurnOfTheSubject()
    {
        int matches = 0;
        foreach (byte[] subject in _known)
        {
            SubscribeAndUnsubscribe(subject);
            matches += _cache.Find(subject).PlainSubscriptions.Length;
        }

        return matches;
    }

    private void SubscribeAndUnsubscribe(ReadOnlySpan<byte> filter)
    {
        Subscription subscription = SubscriptionSet.Subscribe(filter.ToArray());
        _router.Add(subscription);
        _router.Remove(subscription);
    }

    private int Scan(ReadOnlySpan<byte> subject)
    {
        int matches = 0;
        foreach (Subscription subscription in _set.Subscriptions)
        {
            matches += Subject.Matches(subscription.Filter, subject) ? 1 : 0;
        }

        return matches;
    }

    private void Check(byte[] subject)
    {
        int expected = Scan(subject);
        _found.Clear();
        _trie.Match(subject, _found);
        Agreement.Require(expected, _found.Count, "scan and trie");
        Agreement.Require(_found.TrueForAll(s => Subject.Matches(s.Filter, subject)));
        Agreement.Require(expected, _router.Find(subject).PlainSubscriptions.Length, "scan and router");
        Agreement.Require(expected, _cache.Find(subject).PlainSubscriptions.Length, "scan and cache");
        SubscribeAndUnsubscribe(subject);
        Agreement.Require(expected, _cache.Find(subject).PlainSubscriptions.Length, "scan and cache after churn");
    }
}
