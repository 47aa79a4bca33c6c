namespace Broker.Bridge;

/// <summary>
/// Decides which refused connections are logged: the first refusal of a kind, and each refusal that follows after a
/// minute without another refusal of its kind. A kind is an endpoint, the refused host and the reason. If there are
/// very many kinds, all hosts and reasons of an endpoint count as one kind. Thread-safe.
/// </summary>
internal sealed class RefusalLogFilter(TimeProvider clock)
{
    internal static readonly TimeSpan QuietPeriod = TimeSpan.FromMinutes(1);

    private const int MostKinds = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Endpoint, string Host, string? Reason), Episode> _episodes = [];

    /// <summary>Returns whether this refusal must be logged.</summary>
    /// <param name="endpoint">The bridge's endpoint.</param>
    /// <param name="address">The address of the peer. Its port is ignored because it differs each time.</param>
    /// <param name="reason">Why the peer was refused.</param>
    /// <param name="suppressed">How many refusals of the same kind were not logged since the last logged one.</param>
    internal bool ShouldLog(string endpoint, string address, string? reason, out long suppressed)
    {
        int colon = address.LastIndexOf(':');
        (string endpoint, string, string? reason) kind = (endpoint, colon < 0 ? address : address[..colon], reason);
        long now = clock.GetTimestamp();
        lock (_gate)
        {
            if (!_episodes.TryGetValue(kind, out Episode? episode) && _episodes.Count >= MostKinds)
            {
                RemoveEnded(now);
                if (_episodes.Count >= MostKinds)
                {
                    kind = (endpoint, "", null);
                    _episodes.TryGetValue(kind, out episode);
                }
            }

            suppressed = 0;
            if (episode is not null && clock.GetElapsedTime(episode.Last, now) < QuietPeriod)
            {
                episode.Last = now;
                episode.Suppressed++;
                return false;
            }

            if (episode is null)
            {
                _episodes[kind] = episode = new Episode();
            }

            suppressed = episode.Suppressed;
            episode.Suppressed = 0;
            episode.Last = now;
            return true;
        }
    }

    private void RemoveEnded(long now)
    {
        foreach (((string Endpoint, string Host, string? Reason) kind, Episode? episode) in _episodes)
        {
            if (clock.GetElapsedTime(episode.Last, now) >= QuietPeriod)
            {
                _episodes.Remove(kind);
            }
        }
    }

    private sealed class Episode
    {
        internal long Last { get; set; }

        internal long Suppressed { get; set; }
    }
}
