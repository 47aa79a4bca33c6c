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

    /// <summary>An idle publisher.</summary>
    Idle,

    /// <summary>Idle subscribers.</summary>
    Crowd,
}
