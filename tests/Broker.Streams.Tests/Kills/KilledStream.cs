using System.Globalization;
using System.Text;

namespace Broker.Streams.Tests.Kills;

/// <summary>The knowledge of a stream's clients: acknowledged changes, and changes that may have happened.</summary>
internal sealed class KilledStream(string name)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, string> _stored = [];
    private readonly HashSet<ulong> _maybeGone = [];
    private readonly HashSet<ulong> _gone = [];
    private readonly HashSet<ulong> _maybeHandled = [];
    private readonly HashSet<ulong> _handled = [];
    private ulong _maybePurged;
    private ulong _purged;
    private int _next;

    public string Name { get; } = name;

    /// <summary>The number of messages whose storing was acknowledged.</summary>
    public int Acknowledged { get; private set; }

    /// <summary>The number of messages whose handling was confirmed.</summary>
    public int Confirmed { get; private set; }

    /// <summary>Begins a message. Its id has its number and its length.</summary>
    public string Begin() => string.Create(CultureInfo.InvariantCulture, $"{Interlocked.Increment(ref _next)}-{Random.Shared.Next(1, 1500)}");

    public static byte[] BodyOf(string id)
    {
        int length = int.Parse(id.AsSpan(id.IndexOf('-', StringComparison.Ordinal) + 1), CultureInfo.InvariantCulture);
        return Encoding.UTF8.GetBytes($"{id} {new string('x', length)}");
    }

    public static string IdOf(ReadOnlySpan<byte> body) => Encoding.UTF8.GetString(body[..Math.Max(body.IndexOf((byte)' '), 0)]);

    public void Ack(string id, ulong sequence)
    {
        lock (_gate)
        {
            Assert.True(_stored.TryAdd(sequence, id), $"{Name}: the sequence {sequence} was used for '{id}' and for '{_stored[sequence]}'.");
            Acknowledged++;
        }
    }

    /// <summary>Begins the deletion of a message that exists. Returns 0 if there is none.</summary>
    public ulong BeginDelete()
    {
        lock (_gate)
        {
            ulong victim = _stored.Count == 0 ? 0 : _stored.Keys.ElementAt(Random.Shared.Next(_stored.Count));
            return victim > _maybePurged && _maybeGone.Add(victim) ? victim : 0;
        }
    }

    public void EndDelete(ulong sequence)
    {
        lock (_gate)
        {
            _gone.Add(sequence);
        }
    }

    /// <summary>Begins to delete all messages except about the last ones. Returns the first sequence that is kept.</summary>
    public ulong BeginPurge(int keep)
    {
        lock (_gate)
        {
            ulong last = _stored.Count == 0 ? 0 : _stored.Keys.Max();
            return _maybePurged = Math.Max(_maybePurged, last > (ulong)keep ? last - (ulong)keep : 1);
        }
    }

    public void EndPurge(ulong first)
    {
        lock (_gate)
        {
            _purged = Math.Max(_purged, first);
        }
    }

    public void BeginHandled(ulong sequence)
    {
        lock (_gate)
        {
            _maybeHandled.Add(sequence);
        }
    }

    public void EndHandled(ulong sequence)
    {
        lock (_gate)
        {
            _handled.Add(sequence);
            Confirmed++;
        }
    }

    /// <summary>Checks the messages on the disk. Returns those whose storing was acknowledged.</summary>
    public Dictionary<ulong, string> Check(StreamStore store, bool keepsHandled)
    {
        StoredStream stream = store.Find(Name)!;
        var found = new Dictionary<ulong, string>();
        var buffer = new MessageBuffer();
        ulong last = 0;
        for (ulong next = 0; store.ReadNext(stream, next, buffer) == ReadStatus.Found; next = buffer.Sequence + 1)
        {
            Assert.True(buffer.Sequence > last, $"{Name}: {buffer.Sequence} follows {last}.");
            last = buffer.Sequence;
            string id = IdOf(buffer.Body);
            Assert.True(buffer.Body.SequenceEqual(BodyOf(id)), $"{Name}: the message {buffer.Sequence} is another one.");
            Assert.True(!_stored.TryGetValue(buffer.Sequence, out string? stored) || stored == id, $"{Name}: {buffer.Sequence} is '{id}', and '{stored}' was acknowledged.");
            Assert.False(_gone.Contains(buffer.Sequence) || buffer.Sequence < _purged, $"{Name}: {buffer.Sequence} was deleted.");
            found.Add(buffer.Sequence, id);
        }

        Assert.Null(stream.Damage);
        Assert.Distinct(found.Values);
        foreach (ulong sequence in _stored.Keys)
        {
            bool isExplained = _maybeGone.Contains(sequence) || sequence < _maybePurged || (!keepsHandled && _maybeHandled.Contains(sequence));
            Assert.True(found.ContainsKey(sequence) || isExplained, $"{Name}: the acknowledged message {sequence} is missing.");
        }

        return found.Where(pair => _stored.ContainsKey(pair.Key)).ToDictionary();
    }

    /// <summary>The messages that a consumer must deliver now, of those that are stored.</summary>
    public HashSet<ulong> Unhandled(IEnumerable<ulong> stored) => [.. stored.Where(sequence => !_maybeHandled.Contains(sequence))];

    public bool IsHandled(ulong sequence) => _handled.Contains(sequence);
}
