namespace NetMQ;

/// <summary>The arguments of an actor's events.</summary>
public class NetMQActorEventArgs : EventArgs
{
    /// <summary>Creates arguments for an actor.</summary>
    public NetMQActorEventArgs(NetMQActor actor) => Actor = actor;

    /// <summary>The actor.</summary>
    public NetMQActor Actor { get; }
}
