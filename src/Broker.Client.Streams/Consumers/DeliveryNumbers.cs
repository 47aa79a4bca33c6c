using System.Buffers.Text;

namespace Broker.Client.Streams;

/// <summary>
/// The numbers in the reply subject of a delivered message:
/// <c>$JS.ACK.stream.consumer.delivered.sequence.consumerSequence.time.pending</c> (ADR-15).
/// </summary>
/// <param name="Delivered">How often the message has been delivered, including this time.</param>
/// <param name="Sequence">The sequence in the stream.</param>
/// <param name="ConsumerSequence">The number of the delivery of the consumer.</param>
/// <param name="Time">When the message was stored, in nanoseconds since 1970.</param>
/// <param name="Pending">The number of messages that are not delivered yet.</param>
internal readonly record struct DeliveryNumbers(ulong Delivered, ulong Sequence, ulong ConsumerSequence, ulong Time, ulong Pending)
{
    internal const int MaxLength = 5 * 21;

    private const int ShortTokens = 9;
    private const int ShortStart = 4;
    private const int LongTokens = 11;
    private const int LongStart = 6;

    private static ReadOnlySpan<byte> Begin => "$JS.ACK."u8;

    /// <summary>Reads a reply subject.</summary>
    /// <param name="replyTo">The reply subject.</param>
    /// <param name="numbers">The numbers.</param>
    /// <param name="prefix">The length of the part before the numbers, with its dot. 0 if the subject has more parts,
    /// so that the numbers do not make it up.</param>
    internal static bool TryRead(ReadOnlySpan<byte> replyTo, out DeliveryNumbers numbers, out int prefix)
    {
        numbers = default;
        prefix = 0;
        if (!replyTo.StartsWith(Begin))
        {
            return false;
        }

        // A leaf node appends '@' and the subject that the message was published to.
        int at = replyTo.IndexOf((byte)'@');
        ReadOnlySpan<byte> tokens = at < 0 ? replyTo : replyTo[..at];
        int count = tokens.Count((byte)'.') + 1;
        bool isShort = count == ShortTokens;
        if (!isShort && count < LongTokens)
        {
            return false;
        }

        int start = 0;
        for (int skip = isShort ? ShortStart : LongStart; skip > 0; skip--)
        {
            start += tokens[start..].IndexOf((byte)'.') + 1;
        }

        ReadOnlySpan<byte> rest = tokens[start..];
        if (!TryTake(ref rest, out ulong delivered) || !TryTake(ref rest, out ulong sequence) || !TryTake(ref rest, out ulong consumerSequence)
            || !TryTake(ref rest, out ulong time) || !TryTake(ref rest, out ulong pending))
        {
            return false;
        }

        numbers = new DeliveryNumbers(delivered, sequence, consumerSequence, time, pending);
        prefix = isShort && at < 0 && rest.IsEmpty ? start : 0;
        return true;
    }

    /// <summary>Writes the numbers with dots between them, and returns the length.</summary>
    internal int Write(Span<byte> destination)
    {
        int at = 0;
        Add(destination, ref at, Delivered);
        Add(destination, ref at, Sequence);
        Add(destination, ref at, ConsumerSequence);
        Add(destination, ref at, Time);
        Add(destination, ref at, Pending);
        return at - 1;
    }

    private static void Add(Span<byte> destination, ref int at, ulong number)
    {
        Utf8Formatter.TryFormat(number, destination[at..], out int length);
        at += length;
        destination[at++] = (byte)'.';
    }

    private static bool TryTake(ref ReadOnlySpan<byte> rest, out ulong number)
    {
        if (!Utf8Parser.TryParse(rest, out number, out int read) || (read < rest.Length && rest[read] != '.'))
        {
            return false;
        }

        rest = read < rest.Length ? rest[(read + 1)..] : default;
        return true;
    }
}
