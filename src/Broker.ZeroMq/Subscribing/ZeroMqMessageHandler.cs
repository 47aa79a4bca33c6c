using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Subscribing;

/// <summary>Receives a message.</summary>
/// <param name="peer">Who sent it.</param>
/// <param name="message">All its frames, borrowed until the return.</param>
/// <remarks>
/// Called on the peer's loop, one message of a peer at a time and in order; peers of different loops call at the same time. Must not
/// block: it holds up everything on the loop. What it throws closes the peer's connection.
/// </remarks>
public delegate void ZeroMqMessageHandler(ZeroMqPeer peer, in ZmtpMessage message);
