namespace Broker.Client.Requests;

/// <summary>When a request for many answers has had them all, whichever comes first.</summary>
public sealed record RequestManyOptions
{
    private static readonly TimeSpan Longest = TimeSpan.FromDays(20);

    /// <summary>How long answers are waited for, counted from the request. Default 5 s.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How many answers are enough. Default: no number is.</summary>
    public int? MaxAnswers { get; init; }

    /// <summary>How long no answer may come after one that did. Default: as long as the deadline lasts.</summary>
    public TimeSpan? Silence { get; init; }

    /// <summary>Says of an answer that it is the sign of the end, which is not given out. Default: there is none.</summary>
    public ReplyPredicate? Sentinel { get; init; }

    /// <summary>
    /// How many bytes of answers, with their subjects and headers, may wait to be read, or be gathered; one beyond that fails the request.
    /// Default 64 MiB.
    /// </summary>
    public long MaxBytes { get; init; } = 64L * 1024 * 1024;

    internal void Validate()
    {
        OptionRange.Require(Deadline > TimeSpan.Zero && Deadline < Longest, nameof(Deadline), Deadline, "above 0 and below 20 days");
        OptionRange.Require(MaxAnswers is null or >= 1, nameof(MaxAnswers), MaxAnswers, "1 or more, or null");
        OptionRange.Require(
            Silence is null || (Silence > TimeSpan.Zero && Silence < Longest), nameof(Silence), Silence, "above 0 and below 20 days, or null");
        OptionRange.Require(MaxBytes >= 1, nameof(MaxBytes), MaxBytes, "1 or more");
    }
}
