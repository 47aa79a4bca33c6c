using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>
/// The nonces of RFC 26: a text that is unique to the command, followed by an 8-octet counter or 16 random octets.
/// </summary>
internal static class CurveNonce
{
    internal const int ShortSize = 8;
    internal const int LongSize = 16;

    internal static ReadOnlySpan<byte> Hello => "CurveZMQHELLO---"u8;

    internal static ReadOnlySpan<byte> Initiate => "CurveZMQINITIATE"u8;

    internal static ReadOnlySpan<byte> Ready => "CurveZMQREADY---"u8;

    internal static ReadOnlySpan<byte> MessageOfClient => "CurveZMQMESSAGEC"u8;

    internal static ReadOnlySpan<byte> MessageOfServer => "CurveZMQMESSAGES"u8;

    internal static ReadOnlySpan<byte> Welcome => "WELCOME-"u8;

    internal static ReadOnlySpan<byte> Cookie => "COOKIE--"u8;

    internal static ReadOnlySpan<byte> Vouch => "VOUCH---"u8;

    /// <summary>Joins the text and the ending of a nonce.</summary>
    internal static ReadOnlySpan<byte> Join(ReadOnlySpan<byte> text, ReadOnlySpan<byte> ending, Span<byte> nonce)
    {
        text.CopyTo(nonce);
        ending.CopyTo(nonce[text.Length..]);
        return nonce;
    }

    /// <summary>
    /// Accepts the counter of a peer's command. Returns false if the counter is not above the previous counter.
    /// </summary>
    internal static bool TryCount(ref ulong last, ReadOnlySpan<byte> ending)
    {
        ulong counter = BinaryPrimitives.ReadUInt64BigEndian(ending);
        if (counter <= last)
        {
            return false;
        }

        last = counter;
        return true;
    }
}
