namespace Broker.ZeroMq;

/// <summary>
/// Receives the messages and commands that <see cref="ZmtpDecoder"/> finds. Implement it as a struct, so that its
/// methods are called directly and not through the interface.
/// </summary>
/// <remarks>
/// The message or command refers to the receive memory and is valid until the call returns: copy the data that is
/// needed later. The handler runs on the connection's thread and must not throw. After an exception the decoder must
/// not be used again.
/// </remarks>
internal interface IZmtpFrameHandler
{
    /// <summary>Receives a whole message with all its frames.</summary>
    ZmtpVerdict OnMessage(in ZmtpMessage message);

    /// <summary>
    /// Receives a whole command with a well-formed name. If a peer sends a command between two frames of a message, the
    /// command is delivered before that message.
    /// </summary>
    ZmtpVerdict OnCommand(in ZmtpCommand command);
}
