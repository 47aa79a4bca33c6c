using System.Buffers.Text;

namespace Broker.Bridge.JetStream;

/// <summary>What the reply subject of a message from a consumer says: <c>$JS.ACK.stream.consumer.delivered.sequence.…</c> (ADR-15).</summary>
/// <param name="Delivered">How often it has been delivered, this time included.</param>
/// <param name="Sequence">Its number in the stream.</param>
/// <param name="Stored">When the stream took it, in nanoseconds: with the number it says which message it is, also where a stream was made anew.</param>
internal readonly record struct DeliverySubject(long Delivered, long Sequence, long Stored)
{
    private const int Tokens = 9;

    // With the domain and the account's hash before the stream, and a random token at the end.
    private const int LongTokens = 12;

    internal static bool TryParse(ReadOnlySpan<byte> replyTo, out DeliverySubject delivery)
    {
        delivery = default;
        if (!replyTo.StartsWith("$JS.ACK."u8))
        {
            return false;
        }

        // Through a leaf node the subject that the message was published to is added.
        int at = replyTo.IndexOf((byte)'@');
        ReadOnlySpan<byte> rest = at < 0 ? replyTo : replyTo[..at];
        int tokens = rest.Count((byte)'.') + 1;
        int skip = tokens == Tokens ? 4 : tokens >= LongTokens - 1 ? 6 : 0;
        if (skip == 0)
        {
            return false;
        }

        for (; skip > 0; skip--)
        {
            rest = rest[(rest.IndexOf((byte)'.') + 1)..];
        }

        if (!TryNumber(ref rest, out long delivered) || !TryNumber(ref rest, out long sequence)
            || !TryNumber(ref rest, out _) || !TryNumber(ref rest, out long stored))
        {
            return false;
        }

        delivery = new DeliverySubject(delivered, sequence, stored);
        return true;
    }

    private static bool TryNumber(ref ReadOnlySpan<byte> rest, out long number)
    {
        bool isNumber = Utf8Parser.TryParse(rest, out number, out int read) && read < rest.Length && rest[read] == '.' && number > 0;
        rest = isNumber ? rest[(read + 1)..] : rest;
        return isNumber;
    }
}
