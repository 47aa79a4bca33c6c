using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>Takes the messages of one read. A struct, so that the calls are direct.</summary>
internal interface IMessageTaker
{
    /// <summary>False when there is no room for it now: the peer is paused, and the message comes again after it was resumed.</summary>
    bool TryTake(in ZmtpMessage message);
}
