namespace Broker.Streams.Tests.Crashes;

/// <summary>
/// The expected messages of a stream: everything that was acknowledged, and nothing that was never written.
/// </summary>
internal sealed class StreamModel(string name, StreamLimits limits)
{
    private readonly SortedDictionary<ulong, string> _sent = [];
    private readonly HashSet<ulong> _acked = [];
    private readonly HashSet<ulong> _deleting = [];
    private readonly HashSet<ulong> _deleted = [];
    private ulong _greatest;
    private ulong _purging;
    private ulong _purged;

    public string Name { get; } = name;

    public StreamLimits Limits { get; } = limits;

    public bool IsCreated { get; set; }

    public ulong Greatest => _greatest;

    public void Send(ulong sequence, string text)
    {
        Assert.True(sequence > _greatest, $"{Name}: the sequence {sequence} was used before; the last one was {_greatest}.");
        _sent[sequence] = text;
    }

    public void Ack(ulong sequence)
    {
        _acked.Add(sequence);
        _greatest = Math.Max(_greatest, sequence);
    }

    /// <summary>The sequences of a subject before another one, also of messages that were lost or deleted.</summary>
    public ulong[] SequencesOf(string subject, ulong before)
        => [.. _sent.Where(pair => pair.Key < before && SubjectOf(pair.Value) == subject).Select(static pair => pair.Key)];

    public void BeginDelete(ulong sequence) => _deleting.Add(sequence);

    public void EndDelete(ulong sequence) => _deleted.Add(sequence);

    public void BeginPurge(ulong first) => _purging = Math.Max(_purging, first);

    public void EndPurge(ulong first) => _purged = Math.Max(_purged, first);

    /// <summary>Compares what a start has found, which is acknowledged from now on.</summary>
    public void Check((ulong Sequence, string Text)[] found, ulong last)
    {
        HashSet<ulong> present = [.. found.Select(static message => message.Sequence)];
        Assert.Equal(found.Select(static message => message.Sequence).Order(), found.Select(static message => message.Sequence));
        foreach ((ulong sequence, string text) in found)
        {
            Assert.True(_sent.TryGetValue(sequence, out string? sent) && sent == text, $"{Name}: {sequence} '{text}' was not written; '{sent}' was.");
            Assert.False(_deleted.Contains(sequence) || sequence < _purged, $"{Name}: {sequence} was deleted.");
        }

        foreach (ulong sequence in _acked.Where(sequence => !present.Contains(sequence)))
        {
            Assert.True(IsExplained(sequence), $"{Name}: the acknowledged message {sequence} is missing.");
        }

        CheckLimits(found);
        Assert.True(last >= _greatest, $"{Name}: the last sequence is {last}; {_greatest} was acknowledged.");
        Settle(present, last);
    }

    private void Settle(HashSet<ulong> present, ulong last)
    {
        _acked.Clear();
        _acked.UnionWith(present);
        _greatest = Math.Max(_greatest, present.Count == 0 ? 0 : present.Max());
        foreach (ulong lost in _sent.Keys.Where(sequence => sequence > last).ToArray())
        {
            _sent.Remove(lost);
        }

        _deleted.UnionWith(_deleting.Where(sequence => !present.Contains(sequence) && sequence <= _greatest));
        _deleting.Clear();
        _purging = present.Any(sequence => sequence < _purging) ? _purged : Math.Min(_purging, last + 1);
        _purged = _purging;
    }

    private bool IsExplained(ulong sequence)
    {
        if (_deleting.Contains(sequence) || _deleted.Contains(sequence) || sequence < _purging)
        {
            return true;
        }

        (ulong Sequence, string Text)[] later = [.. _sent.Where(pair => pair.Key > sequence).Select(static pair => (pair.Key, pair.Value))];
        string text = _sent[sequence];
        return (Limits.MaxMessages > 0 && later.Length >= Limits.MaxMessages)
            || (Limits.MaxPerSubject > 0 && later.Count(message => SubjectOf(message.Text) == SubjectOf(text)) >= Limits.MaxPerSubject)
            || (Limits.MaxBytes > 0 && later.Sum(static message => SizeOf(message.Text)) + SizeOf(text) > Limits.MaxBytes);
    }

    private void CheckLimits((ulong Sequence, string Text)[] found)
    {
        Assert.True(Limits.MaxMessages == 0 || found.Length <= Limits.MaxMessages, $"{Name}: {found.Length} messages.");
        Assert.True(Limits.MaxBytes == 0 || found.Sum(static message => SizeOf(message.Text)) <= Limits.MaxBytes, $"{Name}: too many bytes.");
        Assert.True(
            Limits.MaxPerSubject == 0 || found.GroupBy(static message => SubjectOf(message.Text)).All(group => group.Count() <= Limits.MaxPerSubject),
            $"{Name}: too many messages of a subject.");
    }

    private static string SubjectOf(string text) => text[..text.IndexOf(' ', StringComparison.Ordinal)];

    // A head, the subject and the body; the header is one byte, and the text has a space.
    private static int SizeOf(string text) => RecordHead.Length + text.Length;
}
