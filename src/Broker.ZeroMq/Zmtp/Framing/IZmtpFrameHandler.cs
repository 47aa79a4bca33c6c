namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>Receives what <see cref="ZmtpDecoder"/> finds. Implement it as a struct, so that the calls are direct.</summary>
/// <remarks>
/// Both arguments borrow the receive memory until the call returns: copy what must live longer. The handler runs on the
/// connection's thread and must not throw; after an exception the decoder must not be used again.
/// </remarks>
internal interface IZmtpFrameHandler
{
    /// <summary>A whole message, all its frames.</summary>
    ZmtpVerdict OnMessage(in ZmtpMessage message);

    /// <summary>
    /// A whole command with a well-formed name. A command that a peer puts between two frames of a message comes before that message.
    /// </summary>
    ZmtpVerdict OnCommand(in ZmtpCommand command);
}
