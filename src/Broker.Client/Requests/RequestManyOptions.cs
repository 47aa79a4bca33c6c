namespace Broker.Client;

/// <summary>
/// The conditions that end a request for many replies. The request ends when the first condition is met.
/// </summary>
public sealed record RequestManyOptions
{
    private static readonly TimeSpan Longest = TimeSpan.FromDays(20);

    /// <summary>The longest time to wait for replies after the request. Default 5 s.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The number of replies that ends the request. Default: no limit.</summary>
    public int? MaxReplies { get; init; }

    /// <summary>The longest pause after a reply. Default: no limit other than the deadline.</summary>
    public TimeSpan? IdleTimeout { get; init; }

    /// <summary>
    /// Tests whether a reply marks the end. That reply is not returned. Default: no reply marks the end.
    /// </summary>
    public ReplyPredicate? Sentinel { get; init; }

    /// <summary>
    /// The largest size of the replies that wait to be read or that are gathered, in bytes, with subjects and headers.
    /// A reply that exceeds the limit fails the request. Default 64 MiB.
    /// </summary>
    public long MaxBytes { get; init; } = 64L * 1024 * 1024;

    internal void Validate()
    {
        OptionRange.Require(Deadline > TimeSpan.Zero && Deadline < Longest, nameof(Deadline), Deadline, "above 0 and below 20 days");
        OptionRange.Require(MaxReplies is null or >= 1, nameof(MaxReplies), MaxReplies, "1 or more, or null");
        OptionRange.Require(
            IdleTimeout is null || (IdleTimeout > TimeSpan.Zero && IdleTimeout < Longest), nameof(IdleTimeout), IdleTimeout, "above 0 and below 20 days, or null");
        OptionRange.Require(MaxBytes >= 1, nameof(MaxBytes), MaxBytes, "1 or more");
    }
}
