namespace Broker.ZeroMq.Loops;

/// <summary>Takes the messages of one read. Implementations are structs, so that the calls are direct.</summary>
internal interface IMessageTaker
{
    /// <summary>
    /// Takes a message. Returns false if there is no room for it: then the peer is paused, and the message is delivered
    /// again after the peer was resumed.
    /// </summary>
    bool TryTake(in ZmtpMessage message);
}
