namespace Broker.Bridge.Routes;

/// <summary>
/// Says which refusals belong into a log: the first of a kind, and then the first after a quiet minute. A kind is an endpoint, a
/// reason, and the host that was refused; when there are very many of them, hosts and reasons count as one. Any thread.
/// </summary>
internal sealed class RefusalEpisodes(TimeProvider clock)
{
    internal static readonly TimeSpan Quiet = TimeSpan.FromMinutes(1);

    private const int MostKinds = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Endpoint, string Host, string? Reason), Episode> _episodes = [];

    /// <summary>Whether this one is the first of an episode.</summary>
    /// <param name="endpoint">Ours.</param>
    /// <param name="address">The peer's, whose port is another each time.</param>
    /// <param name="reason">Why.</param>
    /// <param name="before">How many of the last episode were not told of.</param>
    internal bool IsNews(string endpoint, string address, string? reason, out long before)
    {
        int colon = address.LastIndexOf(':');
        var kind = (endpoint, colon < 0 ? address : address[..colon], reason);
        long now = clock.GetTimestamp();
        lock (_gate)
        {
            if (!_episodes.TryGetValue(kind, out Episode? episode) && _episodes.Count >= MostKinds)
            {
                ForgetQuiet(now);
                if (_episodes.Count >= MostKinds)
                {
                    kind = (endpoint, "", null);
                    _episodes.TryGetValue(kind, out episode);
                }
            }

            before = 0;
            if (episode is not null && clock.GetElapsedTime(episode.Last, now) < Quiet)
            {
                episode.Last = now;
                episode.Untold++;
                return false;
            }

            if (episode is null)
            {
                _episodes[kind] = episode = new Episode();
            }

            before = episode.Untold;
            episode.Untold = 0;
            episode.Last = now;
            return true;
        }
    }

    private void ForgetQuiet(long now)
    {
        foreach (var (kind, episode) in _episodes)
        {
            if (clock.GetElapsedTime(episode.Last, now) >= Quiet)
            {
                _episodes.Remove(kind);
            }
        }
    }

    private sealed class Episode
    {
        internal long Last { get; set; }

        internal long Untold { get; set; }
    }
}
