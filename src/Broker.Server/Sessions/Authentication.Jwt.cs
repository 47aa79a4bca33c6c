namespace Broker.Server;

// Authentication by a JWT, and the end of a connection whose JWT expires.
internal sealed partial class Authentication
{
    // The timer starts again after this time. So a clock that is set meanwhile counts, and no timer is too long.
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private Verdict CheckToken(IUserTokens tokens, Credentials shown)
        => new(null, () => tokens.Check(shown, Nonce, channel.RemoteEndPoint, transport));

    private void StartEnd()
    {
        _end?.Cancel();
        _end = null;
        if (identity.Principal?.Grant is { Ends: var ends } && ends != DateTimeOffset.MaxValue)
        {
            TimeSpan left = ends - channel.Server.Time.GetUtcNow();
            _end = channel.Loop.StartTimer(
                left > LongestTimer ? LongestTimer : left < TimeSpan.Zero ? TimeSpan.Zero : left, OnEnd);
        }
    }

    private void OnEnd()
    {
        if (channel.IsEnded || identity.Principal?.Grant is not { } grant)
        {
            return;
        }

        if (grant.Ends > channel.Server.Time.GetUtcNow())
        {
            StartEnd();
            return;
        }

        channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, grant.EndText);
        channel.Fail(grant.EndText);
    }
}
