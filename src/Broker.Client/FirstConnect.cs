namespace Broker.Client;

/// <summary>What becomes of a first connect that finds no server among those that were named.</summary>
public enum FirstConnect
{
    /// <summary>It fails with what went wrong at the last of them.</summary>
    Fail,

    /// <summary>It goes on as after a loss: until a server answers, the attempts are used up, or it is cancelled.</summary>
    Retry,

    /// <summary>It gives a connection all the same, which looks for a server as after a loss and keeps what is published meanwhile.</summary>
    Background,
}
