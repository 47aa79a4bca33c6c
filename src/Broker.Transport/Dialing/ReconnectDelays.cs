namespace Broker.Transport;

/// <summary>
/// Computes the delays between the attempts to reconnect. The first delay is doubled after each failed round, up to a
/// maximum, and a random jitter is added. A round tries all servers once. Immutable and thread-safe.
/// </summary>
/// <param name="first">The delay after the first failed round.</param>
/// <param name="longest">The upper limit of the doubled delay.</param>
/// <param name="jitter">The upper limit of the random time that is added to each delay.</param>
/// <param name="custom">
/// Computes the delay in place of the other three values. Its argument is the number of failed rounds. Its result is
/// limited to the range from zero to one day. Null means that the other three values apply.
/// </param>
public sealed class ReconnectDelays(TimeSpan first, TimeSpan longest, TimeSpan jitter, Func<int, TimeSpan>? custom = null)
{
    // The longest delay that a callback may return. A timer of the runtime takes at most about 49 days.
    private static readonly TimeSpan LongestCustom = TimeSpan.FromDays(1);

    // After this number of doublings, the delay exceeds every possible limit.
    private const int MaxDoublings = 30;

    /// <summary>
    /// Returns the delay before the next round of attempts. If no round has failed, the delay is only the jitter.
    /// </summary>
    /// <param name="failedRounds">The number of times that all servers have been tried without success.</param>
    public TimeSpan After(int failedRounds)
    {
        if (custom is not null)
        {
            TimeSpan given = custom(failedRounds);
            return given < TimeSpan.Zero ? TimeSpan.Zero : given < LongestCustom ? given : LongestCustom;
        }

        double delay = failedRounds == 0 ? 0
            : Math.Min(first.TotalMilliseconds * Math.Pow(2, Math.Min(failedRounds - 1, MaxDoublings)), longest.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(delay + (Random.Shared.NextDouble() * jitter.TotalMilliseconds));
    }
}
