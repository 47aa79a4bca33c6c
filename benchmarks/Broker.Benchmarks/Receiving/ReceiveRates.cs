using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Rates;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// Compares the receivers of <see cref="ReceivePathBenchmarks"/>. The source is up to half of a queue's length ahead of
/// them.
/// </summary>
internal static class ReceiveRates
{
    // This is half of a subscription queue's default limit.
    private const int Ahead = 32_768;

    internal static void Run(TextWriter output, int rounds, int messages)
    {
        foreach (bool varied in (bool[])[false, true])
        {
            List<(string Name, IReceiver Receiver)> receivers =
            [
                ("naive", new NaiveReceiver()),
                ("locks fixed", new LocksFixedReceiver()),
                ("one block", new OneBlockReceiver()),
                ("ours, queue and thread", new OursReceiver(queued: true)),
                ("ours, inline", new OursReceiver(queued: false)),
            ];
            if (Libnats.Missing is null)
            {
                receivers.Add(("libnats", new LibnatsReceiver()));
            }

            MessageSource[] sources = [.. receivers.Select(r => new MessageSource(varied, () => r.Receiver.Received, Ahead))];
            try
            {
                RateTable.Run(
                    output,
                    varied ? "receive, 1–64 B, 1,000 subjects" : "receive, 4 B, one subject",
                    rounds,
                    [.. receivers.Zip(sources, (r, source) => (r.Name, messages, Start(r.Receiver, source, messages), source.Clock))]);
                for (int i = 0; i < sources.Length; i++)
                {
                    Agreement.Require(sources[i].SumOf(receivers[i].Receiver.Received), receivers[i].Receiver.Sum, "what the messages add up to");
                }
            }
            finally
            {
                receivers.ForEach(r => r.Receiver.Dispose());
                Array.ForEach(sources, s => s.Dispose());
            }
        }
    }

    private static Action Start(IReceiver receiver, MessageSource source, int messages)
    {
        receiver.Start(source.Port, source.Filter);
        return () =>
        {
            receiver.Expect(receiver.Received + messages);
            long total = source.Send(messages);
            receiver.Wait();
            Agreement.Require(total, receiver.Received, "messages received");
        };
    }
}
