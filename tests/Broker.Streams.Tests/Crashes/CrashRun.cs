using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Crashes;

/// <summary>
/// One disk and several lives of a store on it. Each life ends in a crash at a random change of the disk, or in an
/// orderly close. Each life begins with a comparison of the store with the model.
/// </summary>
internal sealed class CrashRun : IStoreCompletion
{
    private const int Append = 0;
    private const int Create = 1;
    private const int Delete = 2;
    private const int Purge = 3;
    private const int KindShift = 8;

    private readonly Random _random;
    private readonly SimulatedDisk _disk = new();
    private readonly Dictionary<string, long> _crashes;
    private readonly StreamModel[] _models =
    [
        new("all", default),
        new("few", new StreamLimits { MaxMessages = 5 }),
        new("values", new StreamLimits { MaxPerSubject = 2 }),
        new("bytes", new StreamLimits { MaxBytes = 700 }),
        new("both", new StreamLimits { MaxMessages = 4, MaxPerSubject = 2 }),
    ];

    private readonly ConsumerModel[] _consumers = [new("all"), new("few")];
    private readonly ComingStream _coming = new();

    // The kinds of records that wait for a commit.
    private readonly HashSet<string> _queued = new(StringComparer.Ordinal);

    private (ulong Sequence, string Text)[][]? _closedWith;

    public CrashRun(int seed, Dictionary<string, long> crashes)
    {
        _random = new Random(seed);
        _crashes = crashes;
    }

    /// <summary>Lives until a number of crashes. Returns this number.</summary>
    public int Run(int crashes)
    {
        int count = 0;
        while (count < crashes)
        {
            // The changes of a start are few, so every second life is short.
            _disk.CrashAt = _disk.Steps + _random.Next(1, _disk.Steps == 0 || _random.Next(2) == 0 ? 20 : 90);
            _disk.CrashesAfter = _random.Next(2) == 0;
            try
            {
                Live();
                _disk.EndProcess();
            }
            catch (SimulatedCrash)
            {
                count++;
                Count(_disk.CrashedIn);
                if (_disk.CrashedInReplacement)
                {
                    Count("compaction");
                    Count($"compaction: {_disk.CrashedIn}");
                }

                foreach (string kind in _disk.CrashedIn == "write log" ? _queued : [])
                {
                    Count($"write of {kind}");
                }

                if (_random.Next(3) == 0)
                {
                    _disk.EndProcess();
                }
                else
                {
                    _disk.LosePower(_random);
                }
            }
        }

        return count;
    }

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        StreamModel model = _models[token & 0xff];
        switch (token >> KindShift)
        {
            case Append:
                model.Ack(sequence);
                break;
            case Create:
                model.IsCreated = true;
                break;
            case Delete:
                model.EndDelete(sequence);
                break;
            default:
                model.EndPurge(sequence);
                break;
        }
    }

    private void Count(string kind) => _crashes[kind] = _crashes.GetValueOrDefault(kind) + 1;

    private void Live()
    {
        _queued.Clear();
        var options = new StoreOptions { SegmentBytes = 4096, MaxPendingBytes = 1024, HasThread = false, Salt = () => (uint)_random.Next() };
        var store = StreamStore.Open(_disk, options);
        Assert.Empty(store.Recovery.Damage);
        Assert.Empty(store.Recovery.Notices);
        Check(store);
        _closedWith = null;
        for (int i = 0; i < _models.Length; i++)
        {
            if (store.Find(_models[i].Name) is null)
            {
                store.Create(_models[i].Name, _models[i].Limits, [], this, Token(Create, i));
                Commit(store);
            }
        }

        for (int groups = _random.Next(60); groups > 0; groups--)
        {
            for (int operations = _random.Next(1, 6); operations > 0; operations--)
            {
                if (QueueAny(store) is { } queued)
                {
                    _queued.Add(queued);
                }
            }

            Commit(store);
        }

        _closedWith = [.. _models.Select(model => store.All(model.Name))];
        store.Dispose();
    }

    private void Commit(StreamStore store)
    {
        store.Commit();
        _queued.Clear();
    }

    private void Check(StreamStore store)
    {
        _coming.Check(store);
        Array.ForEach(_consumers, consumer => consumer.Check(store.Find(consumer.Stream)));
        foreach (StreamModel model in _models)
        {
            StoredStream? stream = store.Find(model.Name);
            Assert.True(stream is not null || !model.IsCreated, $"The stream {model.Name} is missing.");
            if (stream is not null)
            {
                Assert.Equal(model.Limits, stream.Limits);
                model.IsCreated = true;
                model.Check(store.All(model.Name), stream.Last);
            }
        }

        // A start must find what the process before had in memory, with all its limits and deletions.
        if (_closedWith is not null)
        {
            Assert.Equal(_closedWith, _models.Select(model => store.All(model.Name)));
        }
    }

    private string? QueueAny(StreamStore store)
    {
        int which = _random.Next(6);
        if (which == 0)
        {
            ConsumerModel consumer = _consumers[_random.Next(_consumers.Length)];
            StoredStream stream = store.Find(consumer.Stream)!;
            using StoreBatch batch = store.Begin();
            return consumer.Queue(batch, stream, _random);
        }

        return which == 1 ? _coming.Queue(store, _random) : Queue(store);
    }

    private string? Queue(StreamStore store)
    {
        int which = _random.Next(_models.Length);
        StreamModel model = _models[which];
        StoredStream stream = store.Find(model.Name)!;
        if (_random.Next(20) == 0)
        {
            return store.Update(stream, model.Limits, []) == QueueStatus.Queued ? "new limits" : null;
        }

        using StoreBatch batch = store.Begin();
        switch (_random.Next(20))
        {
            case 0 when stream.LastAssigned > 0:
                ulong sequence = _random.Next(2) == 0 ? stream.LastAssigned : (ulong)_random.NextInt64(1, (long)stream.LastAssigned + 1);
                model.BeginDelete(sequence);
                return batch.Delete(stream, sequence, this, Token(Delete, which)) == QueueStatus.Queued ? "deletion" : null;
            case 1 when stream.LastAssigned > 0 && _random.Next(3) == 0:
                ulong first = (ulong)_random.NextInt64(1, (long)stream.LastAssigned + 2);
                model.BeginPurge(first);
                return batch.Purge(stream, first, this, Token(Purge, which)) == QueueStatus.Queued ? "purge" : null;
            case 2:
                return RollUp(batch, model, stream);
            default:
                (string subject, string body) = NewMessage();
                QueueStatus status = batch.Append(stream, BytesOf(subject), "h"u8, BytesOf(body), this, Token(Append, which));
                return Sent(model, stream, $"{subject} {body}", status) ? "message" : null;
        }
    }

    private string? RollUp(in StoreBatch batch, StreamModel model, StoredStream stream)
    {
        (string subject, string body) = NewMessage();
        var completion = new Rollup(model, subject);
        QueueStatus status = batch.AppendAndPurge(stream, BytesOf(subject), "h"u8, BytesOf(body), BytesOf(subject), completion, 0);
        if (!Sent(model, stream, $"{subject} {body}", status))
        {
            return null;
        }

        completion.Begin(stream.LastAssigned);
        return "rollup";
    }

    private (string Subject, string Body) NewMessage() => ("s" + _random.Next(_random.Next(2) == 0 ? 3 : 20), new((char)('a' + _random.Next(26)), _random.Next(1, 150)));

    private static bool Sent(StreamModel model, StoredStream stream, string text, QueueStatus status)
    {
        if (status == QueueStatus.Queued)
        {
            model.Send(stream.LastAssigned, text);
        }

        return status == QueueStatus.Queued;
    }

    private static byte[] BytesOf(string text) => System.Text.Encoding.UTF8.GetBytes(text);

    private static long Token(int kind, int which) => ((long)kind << KindShift) | (uint)which;
}
