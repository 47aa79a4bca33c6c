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

    /// <summary>A NetMQ program that pushes to its own PULL, which is attached to a pipeline.</summary>
    Attach,

    /// <summary>A bridge that passes the messages of PUSH programs to a pipeline elsewhere.</summary>
    Ingress,
}
