namespace Broker.Streams;

/// <summary>A finding while the log is read. Later records can tell more about it.</summary>
internal sealed class FoundDamage(StoreFindingKind kind, string file, long offset, long length, string text)
{
    internal StoreFindingKind Kind { get; } = kind;

    internal string File { get; } = file;

    internal long Offset { get; } = offset;

    internal long Length { get; } = length;

    internal string Text { get; } = text;

    internal long MostRecords { get; init; }

    /// <summary>The lost messages that are known, by the numbers of streams.</summary>
    internal List<(uint Stream, ulong First, ulong Last)> Lost { get; } = [];

    /// <summary>The streams of damaged records, by their numbers.</summary>
    internal HashSet<uint> Streams { get; } = [];

    internal StoreFinding ToFinding(Func<uint, string> nameOf)
    {
        LostMessages[] lost = [.. Lost.Select(range => new LostMessages(nameOf(range.Stream), range.First, range.Last))];
        string more = lost.Length == 0 ? "" : ": " + string.Join("; ", lost.Select(static range => range.First == range.Last
            ? $"message {range.First} of the stream {range.Stream}"
            : $"messages {range.First} to {range.Last} of the stream {range.Stream}"));
        return new StoreFinding
        {
            Kind = Kind,
            File = File,
            Offset = Offset,
            Length = Length,
            MostRecords = MostRecords,
            Lost = lost,
            Streams = [.. Streams.Union(Lost.Select(static range => range.Stream)).Select(nameOf).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)],
            Text = Text + more,
        };
    }
}
