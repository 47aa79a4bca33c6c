using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Rates;
using Broker.Benchmarks.Running;
using Broker.Client;

namespace Broker.Benchmarks.Publishing;

/// <summary>
/// Compares the publishers of <see cref="PublishBenchmarks"/>, with this project's client in default settings.
/// </summary>
internal static class PublishRates
{
    // The variant with one system call for each message takes a hundred times as long, so it sends fewer messages.
    private const int FewerFlushed = 50;

    // This is the size of the flusher's buffer.
    private const long Ahead = 1024 * 1024;

    private static readonly byte[] Body = "0123456789abcdef"u8.ToArray();
    private static readonly byte[] Frame = "PUB foo 16\r\n0123456789abcdef\r\n"u8.ToArray();

    internal static void Run(TextWriter output, int rounds, int messages)
    {
        PublishSink[] sinks = [.. Enumerable.Range(0, Libnats.Missing is null ? 5 : 4).Select(_ => new PublishSink(Frame))];
        using var each = new FlushEachPublisher(sinks[0].Port);
        using var flusher = new FlusherPublisher(sinks[1].Port);
        using var ours = new OursPublisher(sinks[2].Port, Ahead);
        using var farAhead = new OursPublisher(sinks[3].Port, new ClientOptions().MaxPendingBytes);
        Libnats? libnats = sinks.Length > 4 ? new Libnats(sinks[4].Port) : null;
        try
        {
            int few = messages / FewerFlushed;
            List<(string Name, int Messages, Action Work, ThreadClock Other)> clients =
            [
                ("a flush each", few, () => each.Publish(Body, few), sinks[0].Clock),
                ("a flusher", messages, () => flusher.Publish(Body, messages), sinks[1].Clock),
                ("ours, 1 MiB ahead at most", messages, () => ours.Publish(Body, messages), sinks[2].Clock),
                ("ours, as far as by default", messages, () => farAhead.Publish(Body, messages), sinks[3].Clock),
            ];
            if (libnats is not null)
            {
                clients.Add(("libnats", messages, () => libnats.Publish("foo\0"u8, Body, messages), sinks[4].Clock));
            }

            RateTable.Run(output, "publish, 16 B", rounds, clients);
            Agreement.Require(0L, sinks.Sum(s => s.Wrong), "bytes that are wrong");
            Agreement.Require((long)messages * (rounds + 2), sinks[2].Messages, "messages that arrived");
        }
        finally
        {
            libnats?.Dispose();
            Array.ForEach(sinks, s => s.Dispose());
        }
    }
}
