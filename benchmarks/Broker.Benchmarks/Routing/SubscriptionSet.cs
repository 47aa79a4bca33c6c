using System.Text;
using Broker.Server;

namespace Broker.Benchmarks.Routing;

/// <summary>
/// Subscriptions that each match a subject of their own, so that the search is measured and not the fan-out. All
/// subjects have the same length, so that all routes allocate the same amount.
/// </summary>
internal sealed class SubscriptionSet
{
    private const int FirstTokens = 1000;

    private readonly FilterKind _kind;

    internal SubscriptionSet(FilterKind kind, int count)
    {
        _kind = kind;
        Subscriptions = [.. Enumerable.Range(0, count).Select(i => Subscribe(Filter(i)))];
    }

    internal Subscription[] Subscriptions { get; }

    /// <summary>
    /// Returns the subject that this subscription matches. The number may be beyond the last subscription.
    /// </summary>
    internal byte[] Subject(int number) => Encode(KindOf(number) switch
    {
        FilterKind.Mixed => $"r{First(number):D3}.k{Second(number):D4}.m{First(number):D3}",
        FilterKind.Star => $"r{First(number):D3}.m{number % 8:D3}.k{Second(number):D4}",
        _ => $"r{First(number):D3}.k{Second(number):D4}.m{number % 8:D3}",
    });

    internal static Subscription Subscribe(byte[] filter) => new(null!, filter, null, "1"u8);

    private byte[] Filter(int number) => KindOf(number) switch
    {
        FilterKind.Mixed => Encode($"*.k{Second(number):D4}.m{First(number):D3}"),
        FilterKind.Star => Encode($"r{First(number):D3}.*.k{Second(number):D4}"),
        FilterKind.Tail => Encode($"r{First(number):D3}.k{Second(number):D4}.>"),
        _ => Subject(number),
    };

    private FilterKind KindOf(int number) => _kind == FilterKind.Mixed ? (FilterKind)(number % 4) : _kind;

    private static int First(int number) => number % FirstTokens;

    private static int Second(int number) => number / FirstTokens;

    private static byte[] Encode(FormattableString text) => Encoding.ASCII.GetBytes(FormattableString.Invariant(text));
}
