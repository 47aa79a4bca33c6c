using Broker.Transport;

namespace Broker.Server;

/// <summary>Closes the connection of a client when its JWT expires. Runs on the connection's loop.</summary>
internal sealed class JwtExpiry(ClientChannel channel, ClientIdentity identity)
{
    // The timer starts again after this time. So a clock that is set meanwhile counts, and no timer is too long.
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private LoopTimer? _timer;

    /// <summary>Whether the principal of the client ends at some time.</summary>
    internal static bool IsNeeded(ClientIdentity identity)
        => identity.Principal?.Grant is { Ends: var ends } && ends != DateTimeOffset.MaxValue;

    /// <summary>Starts the timer for the present principal of the client, if it ends at some time.</summary>
    internal void Restart()
    {
        End();
        if (IsNeeded(identity))
        {
            TimeSpan left = identity.Principal!.Grant!.Ends - channel.Server.Time.GetUtcNow();
            _timer = channel.Loop.StartTimer(
                left > LongestTimer ? LongestTimer : left < TimeSpan.Zero ? TimeSpan.Zero : left, OnTimer);
        }
    }

    /// <summary>Stops the timer.</summary>
    internal void End()
    {
        _timer?.Cancel();
        _timer = null;
    }

    private void OnTimer()
    {
        if (channel.IsEnded || identity.Principal?.Grant is not { } grant)
        {
            return;
        }

        if (grant.Ends > channel.Server.Time.GetUtcNow())
        {
            Restart();
            return;
        }

        channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, grant.EndText);
        channel.Fail(grant.EndText);
    }
}
