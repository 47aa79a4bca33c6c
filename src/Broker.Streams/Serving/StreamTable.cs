using System.Diagnostics.CodeAnalysis;
using System.Text;
using Broker.Server;

namespace Broker.Streams;

/// <summary>The streams of an account and their subscriptions. Used on the loop of the account only.</summary>
internal sealed class StreamTable
{
    private readonly SortedDictionary<string, ServedStream> _streams = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ServedStream> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<TargetSubscription, ServedStream> _subscriptions = [];
    private readonly SlotList<ServedStream> _bySlot = new();
    private long _reservedFile;
    private long _reservedMemory;

    internal int Count => _streams.Count;

    /// <summary>The receiver of the outcomes of messages that a stream adds itself.</summary>
    internal StoreReports? Reports { get; set; }

    /// <summary>The bytes that the streams on the disk may use by their own limits. Read on any thread.</summary>
    internal long ReservedFile => Volatile.Read(ref _reservedFile);

    /// <summary>The bytes that the streams in memory may use by their own limits. Read on any thread.</summary>
    internal long ReservedMemory => Volatile.Read(ref _reservedMemory);

    /// <summary>Whether messages of a stream expire.</summary>
    internal bool HasAges { get; private set; }

    /// <summary>The streams by name.</summary>
    internal IEnumerable<ServedStream> All => _streams.Values;

    /// <summary>The names of the streams, in order.</summary>
    internal IEnumerable<string> Names => _streams.Keys;

    internal bool TryGet(string name, [NotNullWhen(true)] out ServedStream? stream) => _streams.TryGetValue(name, out stream);

    internal bool TryGet(TargetSubscription subscription, [NotNullWhen(true)] out ServedStream? stream) => _subscriptions.TryGetValue(subscription, out stream);

    /// <summary>Finds a stream by its number; null if it was deleted.</summary>
    internal ServedStream? At(int slot) => _bySlot[slot];

    /// <summary>Finds a stream by the bytes of its name.</summary>
    internal ServedStream? Find(ReadOnlySpan<byte> name) => Find(_byName, name);

    /// <summary>Finds an object by the bytes of its name, without allocating.</summary>
    internal static T? Find<T>(Dictionary<string, T> names, ReadOnlySpan<byte> name)
        where T : class
    {
        Span<char> text = stackalloc char[StreamRules.MaxNameLength];
        return name.Length <= text.Length && names.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(text[..Encoding.UTF8.GetChars(name, text)], out T? found) ? found : null;
    }

    /// <summary>Adds a stream, which receives messages from now on.</summary>
    internal void Add(ServedStream stream, MessageTarget input)
    {
        _streams.Add(stream.Name, stream);
        _byName.Add(stream.Name, stream);
        stream.Slot = _bySlot.Add(stream);
        Subscribe(stream, input);
    }

    /// <summary>Subscribes to the subjects of a stream, and ends the subscriptions that it no longer has.</summary>
    internal void Subscribe(ServedStream stream, MessageTarget input)
    {
        List<string> subjects = stream.Config.Subjects!;
        foreach (string ended in stream.Subscriptions.Keys.Except(subjects, StringComparer.Ordinal).ToArray())
        {
            Unsubscribe(stream, ended);
        }

        foreach (string subject in subjects)
        {
            if (!stream.Subscriptions.ContainsKey(subject))
            {
                TargetSubscription subscription = input.Subscribe(subject);
                stream.Subscriptions.Add(subject, subscription);
                _subscriptions.Add(subscription, stream);
            }
        }

        Reserve(stream, Math.Max(stream.Config.MaxBytes, 0));
        SetMarkers(stream);
        HasAges = _streams.Values.Any(static known => known.Config.MaxAge > 0 || known.Config.AllowMsgTtl == true);
    }

    private void Reserve(ServedStream stream, long bytes)
    {
        ref long sum = ref stream.Config.Storage is StreamRules.Memory ? ref _reservedMemory : ref _reservedFile;
        Volatile.Write(ref sum, sum - stream.Reserved + bytes);
        stream.Store.Quota?.Reserve(bytes - stream.Reserved);
        stream.Reserved = bytes;
    }

    private void SetMarkers(ServedStream stream)
    {
        string? ttl = stream.Config.SubjectDeleteMarkerTtl is > 0 and long wanted ? TimeToLive.Format(wanted / TimeSpan.NanosecondsPerTick) : null;
        stream.Store.MarkerReports = Reports;
        stream.Stored.MarkerToken = -1 - stream.Slot;
        stream.Stored.MarkerHeaders = ttl is null ? null : Encoding.UTF8.GetBytes($"NATS/1.0\r\nNats-Marker-Reason: MaxAge\r\nNats-TTL: {ttl}\r\nNats-Rollup: sub\r\n\r\n");
    }

    internal void Remove(ServedStream stream)
    {
        _streams.Remove(stream.Name);
        _byName.Remove(stream.Name);

        // A report of this stream that comes later wakes the next stream of the slot, which then finds nothing new.
        _bySlot.Remove(stream.Slot);
        Reserve(stream, 0);
        foreach (string subject in stream.Subscriptions.Keys.ToArray())
        {
            Unsubscribe(stream, subject);
        }
    }

    /// <summary>Whether another stream has a subject that overlaps with one of these.</summary>
    internal bool HasOverlap(StreamConfig config)
    {
        // No delegates: each new stream is compared with all others.
        foreach (ServedStream other in _streams.Values)
        {
            if (!string.Equals(other.Name, config.Name, StringComparison.Ordinal) && HasOverlap(other.Config.Subjects!, config.Subjects!))
            {
                return true;
            }
        }

        return false;
    }

    private static bool HasOverlap(List<string> theirs, List<string> ours)
    {
        foreach (string subject in theirs)
        {
            foreach (string own in ours)
            {
                if (SubjectFilters.Overlap(subject, own))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private void Unsubscribe(ServedStream stream, string subject)
    {
        if (stream.Subscriptions.Remove(subject, out TargetSubscription? subscription))
        {
            _subscriptions.Remove(subscription);
            subscription.Dispose();
        }
    }
}
