namespace Broker.ZeroMq;

/// <summary>
/// The part of a ZMTP/2.0 greeting (RFC 15) after signature and revision: the socket type in one octet, and a frame
/// with the identity. Message frames are the same as in ZMTP 3.0; ZMTP/2.0 has no commands.
/// </summary>
internal static class ZmtpVersion2
{
    private const int HeaderSize = 2;
    private const int MaxIdentityLength = byte.MaxValue;

    // The index is libzmq's number of the socket type.
    private static ReadOnlySpan<byte> Types =>
    [
        (byte)ZmtpSocketType.Pair, (byte)ZmtpSocketType.Pub, (byte)ZmtpSocketType.Sub, (byte)ZmtpSocketType.Req, (byte)ZmtpSocketType.Rep,
        (byte)ZmtpSocketType.Dealer, (byte)ZmtpSocketType.Router, (byte)ZmtpSocketType.Pull, (byte)ZmtpSocketType.Push,
        (byte)ZmtpSocketType.XPub, (byte)ZmtpSocketType.XSub,
    ];

    /// <summary>The most octets that <see cref="Write"/> writes.</summary>
    internal const int MaxSize = 1 + HeaderSize + MaxIdentityLength;

    /// <summary>Writes socket type and identity and returns their size.</summary>
    internal static int Write(Span<byte> destination, ZmtpSocketType type, ReadOnlySpan<byte> identity)
    {
        destination[0] = (byte)Types.IndexOf((byte)type);
        return 1 + ZmtpWriter.WriteMessage(destination[1..], identity);
    }

    /// <summary>Reads the peer's socket type and identity.</summary>
    /// <param name="input">The octets after the peer's revision.</param>
    /// <param name="peer">Receives the socket type and the identity.</param>
    /// <param name="needed">
    /// The number of octets that the input must have, if it is incomplete; otherwise the number of octets that were
    /// read.
    /// </param>
    /// <param name="error">Why the peer is refused, if the input is complete.</param>
    /// <returns>Whether the input is complete.</returns>
    internal static bool TryRead(ReadOnlySpan<byte> input, ZmtpPeer peer, out int needed, out ZmtpError error)
    {
        needed = 1 + HeaderSize;
        error = ZmtpError.None;
        if (!input.IsEmpty && input[0] >= Types.Length)
        {
            error = ZmtpError.SocketTypeUnknown;
            return true;
        }

        // The identity is one frame with a one-octet length, since an identity has at most 255 octets.
        if (input.Length > 1 && input[1] != 0)
        {
            error = ZmtpError.FrameFlagsReserved;
            return true;
        }

        if (input.Length < needed)
        {
            return false;
        }

        needed += input[2];
        if (input.Length < needed)
        {
            return false;
        }

        error = peer.ReadVersion2((ZmtpSocketType)Types[input[0]], input[(1 + HeaderSize)..needed]);
        return true;
    }
}
