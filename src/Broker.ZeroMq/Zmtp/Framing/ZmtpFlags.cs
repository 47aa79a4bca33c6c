namespace Broker.ZeroMq;

/// <summary>The flags octet of a frame (RFC 37, "Framing"). Bits 3 to 7 are reserved and must be zero.</summary>
[Flags]
internal enum ZmtpFlags : byte
{
    /// <summary>No flag is set: the last frame of a message, with a length of 1 octet.</summary>
    None = 0,

    /// <summary>More frames of the same message follow.</summary>
    More = 1,

    /// <summary>The length has 8 octets (network order) instead of 1.</summary>
    Long = 2,

    /// <summary>The frame is a command.</summary>
    Command = 4,
}
