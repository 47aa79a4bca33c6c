namespace Broker.Client;

/// <summary>Computes the delay before the servers are tried again.</summary>
internal sealed class ReconnectDelays(ClientOptions options)
{
    // The longest delay that a callback may return. A timer of the runtime takes at most about 49 days.
    private static readonly TimeSpan Longest = TimeSpan.FromDays(1);

    // After this many doublings the delay exceeds every possible limit.
    private const int MostDoublings = 30;

    /// <param name="failedRounds">The number of times that all servers have been tried without success.</param>
    internal TimeSpan After(int failedRounds)
    {
        if (options.ReconnectDelay is { } delay)
        {
            TimeSpan given = delay(failedRounds);
            return given < TimeSpan.Zero ? TimeSpan.Zero : given < Longest ? given : Longest;
        }

        double wait = failedRounds == 0 ? 0
            : Math.Min(
                options.ReconnectWait.TotalMilliseconds * Math.Pow(2, Math.Min(failedRounds - 1, MostDoublings)),
                options.MaxReconnectWait.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(wait + (Random.Shared.NextDouble() * options.ReconnectJitter.TotalMilliseconds));
    }
}
