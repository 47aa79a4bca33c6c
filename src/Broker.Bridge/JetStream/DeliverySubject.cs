using System.Buffers.Text;

namespace Broker.Bridge;

/// <summary>
/// The numbers in the reply subject of a message from a consumer: <c>$JS.ACK.stream.consumer.delivered.sequence.…</c>
/// (ADR-15).
/// </summary>
/// <param name="Delivered">How often the message has been delivered, including this time.</param>
/// <param name="Sequence">The sequence number of the message in the stream.</param>
/// <param name="Stored">
/// When the stream stored the message, in nanoseconds. Together with the sequence number it identifies the message,
/// even if the stream was deleted and created again.
/// </param>
internal readonly record struct DeliverySubject(long Delivered, long Sequence, long Stored)
{
    private const int Tokens = 9;

    // The long form also has the domain and the account's hash before the stream, and a random token at the end.
    private const int LongTokens = 12;

    internal static bool TryParse(ReadOnlySpan<byte> replyTo, out DeliverySubject delivery)
    {
        delivery = default;
        if (!replyTo.StartsWith("$JS.ACK."u8))
        {
            return false;
        }

        // A leaf node appends '@' and the subject that the message was published to.
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
