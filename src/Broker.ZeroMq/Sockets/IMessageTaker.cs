namespace Broker.ZeroMq.Loops;

/// <summary>
/// Takes the messages of one read. Implementations are structs, so that the method is called directly and not through
/// the interface.
/// </summary>
internal interface IMessageTaker
{
    /// <summary>
    /// Takes a message. Returns false if there is no room for the message. The peer is then paused, and the message is
    /// delivered again after the peer was resumed.
    /// </summary>
    bool TryTake(in ZmtpMessage message);
}
