namespace Broker.Client.Connecting;

/// <summary>How long to wait before the servers are tried again.</summary>
internal sealed class ReconnectWait(ClientOptions options)
{
    // What a callback may ask for at most: a timer of the runtime takes some 49 days.
    private static readonly TimeSpan Longest = TimeSpan.FromDays(1);

    // Beyond this a doubling leaves every longest wait behind.
    private const int MostDoublings = 30;

    /// <param name="passesInVain">How often all servers have been tried in vain.</param>
    internal TimeSpan After(int passesInVain)
    {
        if (options.ReconnectDelay is { } delay)
        {
            TimeSpan given = delay(passesInVain);
            return given < TimeSpan.Zero ? TimeSpan.Zero : given < Longest ? given : Longest;
        }

        double wait = passesInVain == 0 ? 0
            : Math.Min(
                options.ReconnectWait.TotalMilliseconds * Math.Pow(2, Math.Min(passesInVain - 1, MostDoublings)),
                options.MaxReconnectWait.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(wait + (Random.Shared.NextDouble() * options.ReconnectJitter.TotalMilliseconds));
    }
}
