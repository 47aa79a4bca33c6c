using System.Text;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Damage;

/// <summary>
/// A store with a random history: messages, deletions, purges, limits, consumers, and streams that are deleted and created
/// again.
/// </summary>
internal sealed class RandomStore
{
    private const string Consumer = "worker";

    private static readonly string[] Names = ["all", "few", "values", "other"];

    private readonly SimulatedDisk _disk = new();
    private readonly Random _random;
    private readonly bool _isClosed;

    // Each text is used once, and begins with the name of its stream.
    private readonly Dictionary<string, ulong> _published = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (MessagePlace Place, string Stream)> _alive = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ulong> _last = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HashSet<ulong>> _handled = new(StringComparer.Ordinal);
    private int _count;

    public RandomStore(Random random)
    {
        _random = random;
        var store = StreamStore.Open(_disk, StoreExtensions.Small(2048, 512));
        for (int groups = random.Next(20, 250); groups > 0; groups--)
        {
            for (int operations = random.Next(1, 4); operations > 0; operations--)
            {
                Change(store);
            }

            store.Commit();
        }

        Note(store);
        _isClosed = random.Next(2) == 0;
        if (_isClosed)
        {
            store.Dispose();
        }
        else
        {
            _disk.EndProcess();
        }
    }

    public SimulatedDisk Copy() => _disk.Copy();

    /// <summary>Changes one to three places. Returns the messages that are damaged.</summary>
    public HashSet<string> Damage(SimulatedDisk disk, Random random)
    {
        string[] names = [.. disk.Files.Keys.Order(StringComparer.Ordinal)];
        for (int i = random.Next(1, 4); i > 0; i--)
        {
            SimulatedFile file = disk.Files[names[random.Next(names.Length)]];
            if (file.Current.Length == 0)
            {
                continue;
            }

            int at = random.Next(file.Current.Length);
            int end = Math.Min(file.Current.Length, at + random.Next(1, 300));
            switch (random.Next(4))
            {
                case 0:
                    file.Current = file.Current[..at];
                    break;

                // Without an orderly end, zeros in place of the last group look as if it had never been written.
                case 1 when _isClosed:
                    file.Current.AsSpan(at..end).Clear();
                    break;
                case 2:
                    random.NextBytes(file.Current.AsSpan(at..end));
                    break;
                default:
                    file.Current[at] ^= (byte)random.Next(1, 256);
                    break;
            }
        }

        return [.. _alive.Where(message => IsChanged(disk, message.Value.Place)).Select(static message => message.Key)];
    }

    /// <summary>Repairs a damaged copy and compares it with this store.</summary>
    /// <param name="disk">The damaged copy.</param>
    /// <param name="damaged">The damaged messages.</param>
    /// <returns>The numbers of damaged messages, and of deleted messages that are there again.</returns>
    public (int Lost, int Returned) RepairAndCheck(SimulatedDisk disk, HashSet<string> damaged)
    {
        StoreReport report = StoreRepair.Run(disk, "account", StoreExtensions.Small());
        StoreReport after = StoreCheck.Run(disk, "account");
        Assert.True(after.Findings.Count == 0, $"After the repair of\n{TextOf(report)}\nthere is\n{TextOf(after)}");
        Assert.Equal(report.Streams, after.Streams.Select((stream, i) => stream with { Lost = report.Streams[i].Lost }));
        using var store = StreamStore.Open(disk, StoreExtensions.Small());
        Assert.True(store.Recovery.IsClean);
        var found = new HashSet<string>(StringComparer.Ordinal);
        var returned = new List<string>();
        foreach (StoredStream stream in store.Streams())
        {
            foreach ((ulong sequence, string text) in store.All(stream.Name))
            {
                Assert.True(_published.TryGetValue(text, out ulong expected) && expected == sequence && found.Add(text), $"The message {sequence} is '{text}'.");
                Assert.True(text.Split(' ')[1] == stream.Name || stream.Name.StartsWith("RECOVERED_", StringComparison.Ordinal));
                Assert.False(damaged.Contains(text), $"The damaged message '{text}' is there.");
                if (!_alive.ContainsKey(text))
                {
                    returned.Add(stream.Name);
                }
            }
        }


        // A deletion can be lost. A message that returns can take the place of an older one of a stream with a limit.
        bool canReplace = report.Findings.Any(static finding => finding.MostRecords > 0);
        Assert.Equal(
            [],
            _alive.Where(message => !damaged.Contains(message.Key) && !found.Contains(message.Key) && !(canReplace && message.Value.Stream is "few" or "values"))
                .Select(static message => message.Key));
        Assert.True((damaged.Count == 0 && returned.Count == 0) || report.Findings.Any(static finding => finding.Kind != StoreFindingKind.Notice), "Something is lost without a finding.");
        foreach ((string name, ulong last) in _last)
        {
            CheckStream(store, name, last);
        }

        return (damaged.Count, returned.Count);
    }

    private static string TextOf(StoreReport report) => string.Join('\n', report.Findings.Select(static finding => $"{finding.File} at {finding.Offset}, {finding.Length}: {finding.Text}"));

    private void CheckStream(StreamStore store, string name, ulong last)
    {
        // A stream without whole messages can be lost with its creation.
        if (store.Find(name) is not { } stream)
        {
            return;
        }

        if (_handled.TryGetValue(name, out HashSet<ulong>? handled) && stream.Consumers.TryGetValue(Consumer, out StoredConsumer? consumer))
        {
            for (ulong sequence = 1; sequence <= consumer.Progress.Delivered; sequence++)
            {
                Assert.True(handled.Contains(sequence) || consumer.Progress.Pending.Find(sequence) >= 0, $"The consumer of {name} would skip the message {sequence}.");
            }
        }

        store.Append(stream, "new");
        Assert.True(stream.Last > last, $"A sequence of {name} up to {last} is used again: {stream.Last}.");
    }

    // New bytes can be the same as the old ones.
    private bool IsChanged(SimulatedDisk disk, MessagePlace place)
    {
        byte[] now = disk.Files[place.File].Current;
        return now.Length < place.To || !now.AsSpan(place.From..place.To).SequenceEqual(_disk.Files[place.File].Current.AsSpan(place.From..place.To));
    }

    private void Change(StreamStore store)
    {
        string name = Names[_random.Next(Names.Length)];
        if (store.Find(name) is not { } stream)
        {
            StreamLimits limits = name switch
            {
                "few" => new StreamLimits { MaxMessages = 5 },
                "values" => new StreamLimits { MaxPerSubject = 2 },
                _ => default,
            };
            store.Create(name, limits, "configuration"u8);
            return;
        }

        using StoreBatch batch = store.Begin();
        switch (_random.Next(30))
        {
            case 0 when name is "other":
                batch.DeleteStream(stream);
                break;
            case 1 or 2 when stream.LastAssigned > 0:
                batch.Delete(stream, (ulong)_random.NextInt64(1, (long)stream.LastAssigned + 1));
                break;
            case 3 when stream.LastAssigned > 10:
                batch.Purge(stream, stream.LastAssigned - 8);
                break;
            case 4:
                batch.PurgeSubjects(stream, "s1"u8, stream.LastAssigned + 1, 1, null, 0);
                break;
            case 5 or 6 or 7 when name is "all":
                Deliver(batch, stream);
                break;
            default:
                Append(batch, stream, name);
                break;
        }
    }

    private void Append(in StoreBatch batch, StoredStream stream, string name)
    {
        string subject = $"s{_random.Next(3)}";
        string body = $"{name} {_count++} {new string('x', _random.Next(120))}";
        if (batch.Append(stream, Encoding.UTF8.GetBytes(subject), "h"u8, Encoding.UTF8.GetBytes(body)) == QueueStatus.Queued)
        {
            _published[$"{subject} {body}"] = stream.LastAssigned;
        }
    }

    private static void Deliver(in StoreBatch batch, StoredStream stream)
    {
        if (!stream.Consumers.TryGetValue(Consumer, out StoredConsumer? consumer))
        {
            batch.PutConsumer(stream, Consumer, "c"u8, new ConsumerProgress().ToArray());
            return;
        }

        ulong next = consumer.Progress.Delivered + 1;
        var changes = new ByteWriter();
        ConsumerProgress.WriteDelivery(changes, next, next, 1, isPending: true);
        if (next % 3 == 0)
        {
            ConsumerProgress.WriteAcknowledgement(changes, next - 1, withAllBefore: false);
        }

        batch.ChangeConsumer(stream, Consumer, changes.Written);
    }

    private void Note(StreamStore store)
    {
        foreach (StoredStream stream in store.Streams())
        {
            foreach ((ulong sequence, string text) in store.All(stream.Name))
            {
                Assert.True(stream.TryFind(sequence, out MessageEntry entry));
                _alive[text] = (new MessagePlace(entry.Segment!.Name, (int)entry.Offset, (int)entry.Offset + entry.Size), stream.Name);
            }

            _last[stream.Name] = stream.Last;
            if (stream.Consumers.TryGetValue(Consumer, out StoredConsumer? consumer))
            {
                HashSet<ulong> handled = _handled[stream.Name] = [];
                for (ulong sequence = 1; sequence <= consumer.Progress.Delivered; sequence++)
                {
                    if (consumer.Progress.Pending.Find(sequence) < 0)
                    {
                        handled.Add(sequence);
                    }
                }
            }
        }
    }
}
