using System.Globalization;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>
/// Many subscriptions that match one subject each, and the number of subjects that are published to. All frames of
/// one direction have the same length.
/// </summary>
internal sealed record Crowd
{
    public const int PayloadSize = 16;

    /// <summary>Matches every subject of the crowd.</summary>
    public const string Everything = "g.>";

    private const int FirstSid = 1_000_000;

    public FilterKind Kind { get; init; }

    /// <summary>The number of subscriptions, from 1 to 1,000,000.</summary>
    public int Subscriptions { get; init; } = 1;

    /// <summary>The number of subjects that are published to in turn.</summary>
    public int Subjects { get; init; } = 1;

    /// <summary>
    /// Whether one subscription to everything receives the messages, instead of one for each subject.
    /// </summary>
    public bool OneForAll { get; init; }

    /// <summary>The number of SUB and UNSUB per second on another connection.</summary>
    public int ChurnPerSecond { get; init; }

    /// <summary>
    /// The index of the first subject that is published to. The subjects around it belong to other subscriptions.
    /// </summary>
    public int First => OneForAll ? 0 : (Subscriptions - Subjects) / 2;

    public static string Subject(int index) => string.Create(CultureInfo.InvariantCulture, $"g.{index:D7}.x");

    public static int Sid(int index) => FirstSid + index;

    public string Filter(int index)
    {
        FilterKind kind = Kind == FilterKind.Mixed ? (FilterKind)(index % (int)FilterKind.Mixed) : Kind;
        string last = kind switch { FilterKind.Star => "*", FilterKind.Full => ">", _ => "x" };
        return string.Create(CultureInfo.InvariantCulture, $"g.{index:D7}.{last}");
    }

    /// <summary>Returns the sid by which the reader receives the messages of a subject.</summary>
    public int ReaderSid(int index) => OneForAll ? FirstSid : Sid(index);
}
