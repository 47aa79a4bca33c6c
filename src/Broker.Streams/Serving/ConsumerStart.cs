using System.Text;

namespace Broker.Streams;

/// <summary>Finds the sequence that a new consumer begins with.</summary>
internal static class ConsumerStart
{
    internal static ulong Of(ServedStream stream, ConsumerConfig config)
    {
        StoredStream stored = stream.Stored;
        using StoreBatch batch = stream.Store.Begin();
        return config.DeliverPolicy switch
        {
            ConsumerRules.DeliverNew => stored.Last + 1,
            ConsumerRules.FromSequence => config.OptStartSeq!.Value,
            ConsumerRules.FromTime => stored.FirstAfter(config.OptStartTime!.Value.Ticks),
            ConsumerRules.DeliverLast => Math.Max(LastOf(stored, config), 1),
            // The last messages are found when the consumer begins, and the others count as handled.
            ConsumerRules.LastPerSubject => stored.Last + 1,
            _ => Math.Max(stored.First, 1),
        };
    }

    private static ulong LastOf(StoredStream stored, ConsumerConfig config)
    {
        string[] filters = ConsumerRules.FiltersOf(config);
        ulong last = filters.Length == 0 ? stored.Subjects.LastOf(">"u8, withQueued: false) : 0;
        foreach (string filter in filters)
        {
            last = Math.Max(last, stored.Subjects.LastOf(Encoding.UTF8.GetBytes(filter), withQueued: false));
        }

        return last;
    }
}
