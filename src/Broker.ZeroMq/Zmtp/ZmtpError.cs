using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp;

/// <summary>Why a peer's bytes were refused. Nothing in this layer throws on what a peer sends: every parser returns one of these.</summary>
/// <remarks><see cref="ZmtpErrors.Text"/> has a sentence for each, fit for a log line and for the reason of an ERROR command.</remarks>
internal enum ZmtpError
{
    /// <summary>No error.</summary>
    None,

    /// <summary>The first octet is not FF: not ZMTP, or a ZMTP/1.0 peer with a short identity.</summary>
    GreetingNotZmtp,

    /// <summary>Octet 9 is not 7F: a ZMTP/1.0 peer with a long identity, or not ZMTP.</summary>
    GreetingUnversioned,

    /// <summary>The major version is below 3 (ZMTP/2.0 says 1 or 2 here).</summary>
    VersionTooOld,

    /// <summary>The mechanism field is empty, has an illegal character, or has text after its padding.</summary>
    MechanismNameInvalid,

    /// <summary>The peer asks for another security mechanism than ours (RFC 37: the connection must be closed).</summary>
    MechanismMismatch,

    /// <summary>One of the flag bits 3 to 7 is set.</summary>
    FrameFlagsReserved,

    /// <summary>A command frame has the MORE bit.</summary>
    CommandWithMore,

    /// <summary>A frame length above 2^63-1.</summary>
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

    /// <summary>The metadata end inside a property, or its value length exceeds what is left.</summary>
    PropertyTruncated,

    /// <summary>A metadata value length above 2^31-1 (negative for peers that read it as signed).</summary>
    PropertyLengthInvalid,

    /// <summary>Socket-Type or Identity is given twice.</summary>
    PropertyDuplicate,

    /// <summary>The peer did not say what socket type it is.</summary>
    SocketTypeMissing,

    /// <summary>The peer's socket type is not one of RFC 37.</summary>
    SocketTypeUnknown,

    /// <summary>The two socket types cannot be connected (table of RFC 37).</summary>
    SocketTypeIncompatible,

    /// <summary>The identity begins with octet 0, which is kept for implementations.</summary>
    IdentityReserved,

    /// <summary>The identity is longer than 255 octets.</summary>
    IdentityTooLong,

    /// <summary>A PING without time-to-live, or with a context above 16 octets.</summary>
    PingMalformed,

    /// <summary>The peer sent ERROR.</summary>
    PeerRefused,

    /// <summary>The application does not admit the peer.</summary>
    NotAdmitted,

    /// <summary>A command of PLAIN whose parts do not fill it.</summary>
    PlainMalformed,

    /// <summary>A command of CURVE that is too short or too long, or of another version.</summary>
    CurveMalformed,

    /// <summary>A command of CURVE that does not open: the keys differ, or it was changed or replayed.</summary>
    CurveNotGenuine,

    /// <summary>A nonce of CURVE that is not above the one before: something was replayed or left out of order.</summary>
    CurveNonceRepeated,

    /// <summary>A frame in clear where all must be encrypted.</summary>
    NotEncrypted,

    /// <summary>The peer's subscriptions exceed their limits.</summary>
    SubscriptionLimit,

    /// <summary>The frame handler asked to stop for a reason of its own.</summary>
    Aborted,
}
