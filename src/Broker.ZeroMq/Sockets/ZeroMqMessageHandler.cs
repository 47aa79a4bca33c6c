namespace Broker.ZeroMq;

/// <summary>Handles a received message.</summary>
/// <param name="peer">The peer that sent the message.</param>
/// <param name="message">All frames of the message. They are only valid until the handler returns.</param>
/// <returns>
/// True if the message was taken. False if there is no room for the message now: the peer is then paused as by
/// <see cref="ZeroMqPeer.PauseReceiving"/>, and the same message is delivered again after the peer was resumed.
/// </returns>
/// <remarks>
/// Called on the peer's loop with one message at a time, in the order of the peer's messages. Calls for peers on
/// different loops may come at the same time. The handler must not block, because it would stop all work of the loop.
/// An exception that the handler throws closes the peer's connection.
/// </remarks>
public delegate bool ZeroMqMessageHandler(ZeroMqPeer peer, in ZmtpMessage message);
