using System.Diagnostics;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Computes how long a search for a server waits before each round of attempts. Only the running search uses it, or,
/// under the gate, the loop when a link is attached or lost: no search runs then.
/// </summary>
internal sealed class SearchPauses
{
    // A link that was lost sooner than this counts as a failed attempt. Otherwise the client would dial a server that
    // accepts and closes again and again without a delay.
    private static readonly TimeSpan SoonLost = TimeSpan.FromSeconds(1);

    private readonly ClientEvents _events;
    private readonly ReconnectDelays _delays;
    private readonly ReconnectDelays _defaultDelays;
    private long _connectedAt;
    private int _failedRounds;

    internal SearchPauses(ClientOptions options, ClientEvents events)
    {
        _events = events;
        _defaultDelays = new ReconnectDelays(options.ReconnectWait, options.MaxReconnectWait, options.ReconnectJitter);
        _delays = new ReconnectDelays(
            options.ReconnectWait, options.MaxReconnectWait, options.ReconnectJitter, options.ReconnectDelay);
    }

    /// <summary>Notes that a server is connected.</summary>
    internal void OnConnected() => _connectedAt = Stopwatch.GetTimestamp();

    /// <summary>Notes that the connected server was lost.</summary>
    internal void OnLost() => _failedRounds = Stopwatch.GetElapsedTime(_connectedAt) < SoonLost ? _failedRounds + 1 : 0;

    /// <summary>Notes that all servers have been tried without success.</summary>
    internal void OnRoundFailed() => _failedRounds++;

    /// <summary>Returns the pause before the next round.</summary>
    internal TimeSpan Next()
    {
        try
        {
            return _delays.After(_failedRounds);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // A callback that throws must not end the search, because then the connection would close for good.
            _events.ReportFault(e);
            return _defaultDelays.After(_failedRounds);
        }
    }
}
