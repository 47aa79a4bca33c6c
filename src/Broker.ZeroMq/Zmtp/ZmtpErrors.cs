namespace Broker.ZeroMq;

/// <summary>The texts of <see cref="ZmtpError"/>.</summary>
internal static class ZmtpErrors
{
    /// <summary>
    /// Replaces all characters except visible ASCII and spaces by question marks. So a text from the system or from a
    /// peer cannot control a terminal or begin another line of a log.
    /// </summary>
    internal static string Printable(string text)
        => string.Create(text.Length, text, static (line, source) =>
        {
            for (int i = 0; i < line.Length; i++)
            {
                line[i] = source[i] is >= ' ' and <= '~' ? source[i] : '?';
            }
        });

    /// <inheritdoc cref="Printable(string)"/>
    internal static string Printable(ReadOnlySpan<byte> text)
        => string.Create(text.Length, text, static (line, source) =>
        {
            for (int i = 0; i < line.Length; i++)
            {
                line[i] = source[i] is >= (byte)' ' and <= (byte)'~' ? (char)source[i] : '?';
            }
        });

    /// <summary>
    /// Returns a short lower-case phrase without a final stop. It never contains anything that the peer sent.
    /// </summary>
    public static string Text(ZmtpError error) => error switch
    {
        ZmtpError.None => "no error",
        ZmtpError.GreetingNotZmtp => "the greeting is not ZMTP, or the peer speaks ZMTP/1.0",
        ZmtpError.GreetingUnversioned => "the greeting has no version, the peer speaks ZMTP/1.0",
        ZmtpError.VersionTooOld => "the peer speaks a ZMTP version before 3.0",
        ZmtpError.MechanismNameInvalid => "the mechanism name is invalid",
        ZmtpError.MechanismMismatch => "the security mechanisms differ",
        ZmtpError.FrameFlagsReserved => "a frame has reserved flag bits set",
        ZmtpError.CommandWithMore => "a command frame has the MORE bit",
        ZmtpError.FrameLengthInvalid => "a frame length is above 2^63-1",
        ZmtpError.FrameTooLarge => "a frame exceeds the frame size limit",
        ZmtpError.MessageTooLarge => "a message exceeds the message size limit",
        ZmtpError.TooManyFrames => "a message exceeds the frame count limit",
        ZmtpError.CommandTooLarge => "a command exceeds the command size limit",
        ZmtpError.CommandMalformed => "a command has no valid name",
        ZmtpError.MessageDuringHandshake => "a message arrived before the handshake was complete",
        ZmtpError.CommandUnexpected => "the command is not expected in this state",
        ZmtpError.PropertyNameEmpty => "a metadata property has an empty name",
        ZmtpError.PropertyNameInvalid => "a metadata property name has an illegal character",
        ZmtpError.PropertyTruncated => "a metadata property is cut short",
        ZmtpError.PropertyLengthInvalid => "a metadata value length is above 2^31-1",
        ZmtpError.PropertyDuplicate => "a metadata property is given twice",
        ZmtpError.SocketTypeMissing => "the socket type is missing",
        ZmtpError.SocketTypeUnknown => "the socket type is unknown",
        ZmtpError.SocketTypeIncompatible => "the socket types cannot be connected",
        ZmtpError.IdentityTooLong => "the identity is longer than 255 octets",
        ZmtpError.PingMalformed => "a PING command is malformed",
        ZmtpError.PeerRefused => "the peer refused the connection",
        ZmtpError.NotAdmitted => "the peer was not admitted",
        ZmtpError.PlainMalformed => "a PLAIN command is malformed",
        ZmtpError.CurveMalformed => "a CURVE command is malformed",
        ZmtpError.CurveNotGenuine => "a CURVE command cannot be decrypted, the keys differ or the command was changed",
        ZmtpError.CurveNonceRepeated => "a CURVE nonce is not above the previous one",
        ZmtpError.NotEncrypted => "a frame is not encrypted on an encrypted connection",
        ZmtpError.SubscriptionLimit => "too many or too large subscriptions",
        ZmtpError.Aborted => "the handler asked for the end of the connection",
        _ => "unknown error",
    };
}
