namespace Broker.ZeroMqLoad.Ends;

internal enum Role
{
    Push,
    Pull,
    Req,
    Rep,
    Pub,
    Sub,
    Forward,
    Bridge,

    /// <summary>A publisher that is only there.</summary>
    Idle,

    /// <summary>Subscribers that are only there.</summary>
    Crowd,
}
