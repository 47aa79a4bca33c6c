namespace Broker.Client;

/// <summary>When the bytes of a message leave, and whether they may wait for a server.</summary>
internal enum SendMode
{
    /// <summary>The message leaves with others, and may wait for a server as the options say.</summary>
    Usual,

    /// <summary>
    /// A thread that is not an event loop sends the message itself, because it waits for the outcome of this message
    /// alone.
    /// </summary>
    AtOnce,

    /// <summary>
    /// The message is refused if no server is connected, whatever the options say. Event loops and other threads use
    /// the same buffer, so messages of several threads arrive in the order of the calls.
    /// </summary>
    OnlyConnected,
}
