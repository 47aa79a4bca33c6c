using System.Buffers.Text;

namespace Broker.Client.Streams;

/// <summary>The place of a delivered message, which its reply subject contains.</summary>
/// <param name="Sequence">The sequence of the message in the stream.</param>
/// <param name="ConsumerSequence">The number of the delivery, from 1.</param>
/// <param name="Time">When the message was stored.</param>
/// <param name="Pending">The number of messages that the consumer has not delivered yet.</param>
internal readonly record struct PushedPlace(ulong Sequence, ulong ConsumerSequence, DateTimeOffset Time, ulong Pending)
{
    // $JS.ACK.stream.consumer.deliveries.sequence.consumer sequence.time.pending
    private const int ShortForm = 9;

    // The long form has a domain and the hash of an account before the stream, and it may have more tokens at its end.
    private const int LongForm = 11;
    private const int AfterNames = 4;

    internal static bool TryParse(ReadOnlySpan<byte> replyTo, out PushedPlace place)
    {
        place = default;
        int tokens = replyTo.Count((byte)'.') + 1;
        if (!replyTo.StartsWith("$JS.ACK."u8) || (tokens != ShortForm && tokens < LongForm))
        {
            return false;
        }

        int skipped = tokens == ShortForm ? AfterNames : AfterNames + LongForm - ShortForm;
        for (int i = 0; i < skipped; i++)
        {
            Next(ref replyTo);
        }

        if (!TryNumber(ref replyTo, out _) || !TryNumber(ref replyTo, out ulong sequence) || !TryNumber(ref replyTo, out ulong delivery)
            || !TryNumber(ref replyTo, out ulong nanoseconds) || !TryNumber(ref replyTo, out ulong pending))
        {
            return false;
        }

        place = new PushedPlace(sequence, delivery, DateTimeOffset.UnixEpoch.AddTicks((long)(nanoseconds / TimeSpan.NanosecondsPerTick)), pending);
        return true;
    }

    private static ReadOnlySpan<byte> Next(ref ReadOnlySpan<byte> rest)
    {
        int end = rest.IndexOf((byte)'.');
        ReadOnlySpan<byte> token = end < 0 ? rest : rest[..end];
        rest = end < 0 ? default : rest[(end + 1)..];
        return token;
    }

    private static bool TryNumber(ref ReadOnlySpan<byte> rest, out ulong number)
    {
        ReadOnlySpan<byte> token = Next(ref rest);
        return Utf8Parser.TryParse(token, out number, out int read) && read == token.Length;
    }
}
