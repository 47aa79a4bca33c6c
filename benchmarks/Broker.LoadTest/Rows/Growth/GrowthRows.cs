using System.Globalization;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>
/// Rows that measure how the cost of a message grows with one dimension, while everything else is as small as possible.
/// </summary>
internal static class GrowthRows
{
    private const int CrowdBesideChurn = 10_000;

    private static readonly int[] Powers = [1, 100, 10_000, 1_000_000];
    private static readonly int[] ChurnRates = [0, 1_000, 10_000, 100_000];
    private static readonly int[] PayloadSizes = [0, 16, 256, 4 * 1024, 64 * 1024, 1024 * 1024];
    private static readonly int[] PublisherCounts = [1, 10, 100, 1_000];
    private static readonly int[] SubscriberCounts = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];
    private static readonly int[] SecuredSubscriberCounts = [1, 10, 100, 1_000];
    private static readonly int[] DeliveredSizes = [16, 256, 4 * 1024];

    // The largest number of receivers of one message. With more, a measurement would take minutes.
    private const int MostBytesToAll = 16 * 1024 * 1024;

    public static IReadOnlyList<Row> Create() =>
    [
        .. Enum.GetValues<FilterKind>().SelectMany(kind => Powers.Select(n => Subscriptions(kind, n))),
        .. Powers.Select(n => Of("subjects", "subjects, one subscription to all", n, new Crowd { Subjects = n, OneForAll = true })),
        .. Powers.Select(n => Of("each", "subjects, a subscription to each", n, new Crowd { Subjects = n, Subscriptions = n })),
        .. ChurnRates.Select(n => Of(
            "churn", "SUB and UNSUB per second beside 10,000 subscriptions", n, new Crowd { Subscriptions = CrowdBesideChurn, ChurnPerSecond = n })),
        .. PayloadSizes.Select(n => new FanOut($"payload-{Short(n)}", 1, n) { Point = At("bytes of payload", n) }),
        .. PublisherCounts.Select(n => new FanIn($"producers-{Short(n)}", n, 16) { Point = At("publishers", n) }),
    ];

    /// <summary>
    /// Rows for the cost of a delivery by the number of readers that receive everything, with one curve for each size.
    /// </summary>
    public static IReadOnlyList<Row> CreateFanOut() =>
    [
        .. DeliveredSizes.SelectMany(static size => SubscriberCounts.Where(n => n * size <= MostBytesToAll).Select(n => new FanOut($"subscribers-{Short(size)}-{Short(n)}", n, size)
        {
            Point = At($"subscribers, {Long(size)} B", n),
        })),
        .. SecuredSubscriberCounts.Select(n => new OverTls(new FanOut($"subscribers-16-{Short(n)}", n, 16)) { Point = At("subscribers, 16 B over TLS", n) }),
    ];

    private static CrowdRow Subscriptions(FilterKind kind, int count)
    {
        (string name, string shape) = kind switch
        {
            FilterKind.Star => ("star", "subscriptions with *"),
            FilterKind.Full => ("full", "subscriptions with >"),
            FilterKind.Mixed => ("mixed", "subscriptions, mixed"),
            _ => ("literal", "subscriptions, literal"),
        };
        return Of(name, shape, count, new Crowd { Kind = kind, Subscriptions = count });
    }

    private static CrowdRow Of(string name, string dimension, int value, Crowd crowd)
        => new($"{name}-{Short(value)}", $"{Long(value)} {dimension}", crowd) { Point = At(dimension, value) };

    private static Point At(string dimension, int value) => new(dimension, Long(value), GrowthFigure.CpuPerMessage, value);

    private static string Long(int value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Short(int value) => value switch
    {
        1024 * 1024 => "1Mi",
        >= 1_000_000 => $"{value / 1_000_000}M",
        >= 1024 when value % 1024 == 0 => $"{value / 1024}Ki",
        >= 1_000 => $"{value / 1_000}k",
        _ => value.ToString(CultureInfo.InvariantCulture),
    };
}
