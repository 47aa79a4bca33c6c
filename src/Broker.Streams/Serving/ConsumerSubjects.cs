using System.Buffers.Text;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Streams;

/// <summary>Finds the consumers of the subjects that acknowledgements and flow control are published to.</summary>
internal static class ConsumerSubjects
{
    internal const string Acks = "$JS.ACK.>";
    internal const string Flows = "$JS.FC.>";

    // The tokens after the prefix of acknowledgements: stream, consumer, deliveries, two sequences, time and the number of messages. Another
    // form begins with a domain and an account.
    private const int Tokens = 7;
    private const int LongTokens = 9;

    private static ReadOnlySpan<byte> AckPrefix => "$JS.ACK."u8;

    private static ReadOnlySpan<byte> FlowPrefix => "$JS.FC."u8;

    /// <summary>Handles an acknowledgement.</summary>
    internal static void Acknowledge(StreamTable streams, in DeliveredMessage message, long now)
    {
        if (!message.Subject.StartsWith(AckPrefix))
        {
            return;
        }

        ReadOnlySpan<byte> rest = message.Subject[AckPrefix.Length..];
        int count = rest.Count(Subject.Separator) + 1;
        if (count != Tokens && count < LongTokens)
        {
            return;
        }

        var tokens = new TokenEnumerator(rest);
        for (int skipped = count == Tokens ? 0 : 2; skipped > 0; skipped--)
        {
            tokens.MoveNext();
        }

        tokens.MoveNext();
        ServedStream? stream = streams.Find(tokens.Current);
        tokens.MoveNext();
        ServedConsumer? consumer = stream?.FindConsumer(tokens.Current);
        tokens.MoveNext();
        tokens.MoveNext();
        if (consumer is not null && Utf8Parser.TryParse(tokens.Current, out ulong sequence, out int read) && read == tokens.Current.Length)
        {
            consumer.Acknowledge(sequence, message.Body, message.ReplyTo, now);
        }
    }

    /// <summary>Handles the answer to a request of flow control.</summary>
    internal static void EndFlow(StreamTable streams, in DeliveredMessage message)
    {
        if (!message.Subject.StartsWith(FlowPrefix))
        {
            return;
        }

        var tokens = new TokenEnumerator(message.Subject[FlowPrefix.Length..]);
        tokens.MoveNext();
        ServedStream? stream = streams.Find(tokens.Current);
        tokens.MoveNext();
        stream?.FindConsumer(tokens.Current)?.EndFlow(message.Subject);
    }
}
