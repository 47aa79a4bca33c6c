using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Sockets;

/// <summary>Receives a message.</summary>
/// <param name="peer">Who sent it.</param>
/// <param name="message">All its frames, borrowed until the return.</param>
/// <returns>
/// True when the message was taken. False when there is no room for it now: then the peer is paused as by
/// <see cref="ZeroMqPeer.PauseReceiving"/>, and the same message is delivered again after it was resumed.
/// </returns>
/// <remarks>
/// Called on the peer's loop, one message of a peer at a time and in order; peers of different loops call at the same time. Must not
/// block: it holds up everything on the loop. What it throws closes the peer's connection.
/// </remarks>
public delegate bool ZeroMqMessageHandler(ZeroMqPeer peer, in ZmtpMessage message);
