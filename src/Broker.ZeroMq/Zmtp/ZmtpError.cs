namespace Broker.ZeroMq;

/// <summary>
/// Why the octets of a peer were refused. No parser of this layer throws because of a peer's input; each parser returns
/// one of these values.
/// </summary>
/// <remarks>
/// <see cref="ZmtpErrors.Text"/> has a phrase for each value, for a log line and for the reason of an ERROR command.
/// </remarks>
internal enum ZmtpError
{
    /// <summary>No error.</summary>
    None,

    /// <summary>The first octet is not FF: not ZMTP, or a ZMTP/1.0 peer with a short identity.</summary>
    GreetingNotZmtp,

    /// <summary>Octet 9 is not 7F: a ZMTP/1.0 peer with a long identity, or not ZMTP.</summary>
    GreetingUnversioned,

    /// <summary>The major version is below 3 (a ZMTP/2.0 peer sends 1 or 2).</summary>
    VersionTooOld,

    /// <summary>The mechanism field is empty, has an illegal character, or has text after its padding.</summary>
    MechanismNameInvalid,

    /// <summary>
    /// The peer uses another security mechanism than this side (RFC 37: the connection must be closed).
    /// </summary>
    MechanismMismatch,

    /// <summary>One of the flag bits 3 to 7 is set.</summary>
    FrameFlagsReserved,

    /// <summary>A command frame has the MORE bit.</summary>
    CommandWithMore,

    /// <summary>A frame length is above 2^63-1.</summary>
    FrameLengthInvalid,

    /// <summary>A frame is longer than <see cref="ZmtpLimits.MaxFrameSize"/>.</summary>
    FrameTooLarge,

    /// <summary>The frames of one message together exceed <see cref="ZmtpLimits.MaxMessageSize"/>.</summary>
    MessageTooLarge,

    /// <summary>A message has more frames than <see cref="ZmtpLimits.MaxFrames"/>.</summary>
    TooManyFrames,

    /// <summary>A command is longer than <see cref="ZmtpLimits.MaxCommandSize"/>.</summary>
    CommandTooLarge,

    /// <summary>A command's name is empty, longer than the command, or not made of letters.</summary>
    CommandMalformed,

    /// <summary>A message arrived before the handshake was complete.</summary>
    MessageDuringHandshake,

    /// <summary>The mechanism does not expect this command now.</summary>
    CommandUnexpected,

    /// <summary>A metadata property's name has length 0.</summary>
    PropertyNameEmpty,

    /// <summary>A metadata property's name has an illegal character.</summary>
    PropertyNameInvalid,

    /// <summary>The metadata end inside a property, or the length of a value exceeds the remaining octets.</summary>
    PropertyTruncated,

    /// <summary>
    /// The length of a metadata value is above 2^31-1. Peers that read the length as a signed number would see a
    /// negative length.
    /// </summary>
    PropertyLengthInvalid,

    /// <summary>Socket-Type or Identity is given twice.</summary>
    PropertyDuplicate,

    /// <summary>The peer did not send its socket type.</summary>
    SocketTypeMissing,

    /// <summary>The peer's socket type is not one of RFC 37.</summary>
    SocketTypeUnknown,

    /// <summary>The two socket types cannot be connected (table of RFC 37).</summary>
    SocketTypeIncompatible,

    /// <summary>The identity is longer than 255 octets.</summary>
    IdentityTooLong,

    /// <summary>A PING has no time-to-live, or its context has more than 16 octets.</summary>
    PingMalformed,

    /// <summary>The peer sent ERROR.</summary>
    PeerRefused,

    /// <summary>The application does not admit the peer.</summary>
    NotAdmitted,

    /// <summary>The parts of a PLAIN command do not fill the command exactly.</summary>
    PlainMalformed,

    /// <summary>A CURVE command is too short or too long, or has another version.</summary>
    CurveMalformed,

    /// <summary>A CURVE command cannot be decrypted: the keys differ, or the command was changed or replayed.</summary>
    CurveNotGenuine,

    /// <summary>A CURVE nonce is not above the previous one: a command was replayed or is out of order.</summary>
    CurveNonceRepeated,

    /// <summary>A frame is not encrypted on an encrypted connection.</summary>
    NotEncrypted,

    /// <summary>The peer's subscriptions exceed their limits.</summary>
    SubscriptionLimit,

    /// <summary>The frame handler asked for the end of the connection.</summary>
    Aborted,
}
