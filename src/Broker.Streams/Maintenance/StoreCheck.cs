namespace Broker.Streams;

/// <summary>
/// Reads every record of a store and says what is damaged. A repair is the same run, in which each damaged segment is
/// replaced by one with its whole records.
/// </summary>
internal sealed class StoreCheck
{
    private readonly IStoreFiles _files;
    private readonly SegmentReplacement? _replacement;
    private readonly CancellationToken _stop;
    private readonly HashSet<string> _names;
    private readonly ulong[] _segments;
    private readonly DamagedLog _log = new();
    private readonly List<FoundDamage> _found = [];
    private readonly ReadProgress _progress;
    private readonly List<Segment>? _kept;
    private CloseMark? _mark;

    private StoreCheck(IStoreFiles files, SegmentReplacement? replacement, List<Segment>? kept, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        _files = files;
        _replacement = replacement;
        _kept = kept;
        _stop = stop;
        _names = [.. files.List()];
        _segments = [.. _names.Select(static name => StoreFileNames.TryParse(name, StoreFileNames.SegmentEnd, out ulong number) ? number : 0).Where(static number => number > 0).Order()];
        _progress = new ReadProgress(files, _segments, progress);
    }

    /// <summary>Checks a store, and repairs it if there is a replacement for segments.</summary>
    internal static StoreReport Run(
        IStoreFiles files, string account, SegmentReplacement? replacement = null, IProgress<MaintenanceProgress>? progress = null, CancellationToken stop = default)
    {
        var check = new StoreCheck(files, replacement, kept: null, progress, stop);
        check.Run();
        return check.Report(account);
    }

    /// <summary>Checks a store, and returns its catalog and the open segments, which the caller disposes.</summary>
    internal static StoreReport Run(
        IStoreFiles files, string account, List<Segment> kept, out StreamCatalog catalog, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        var check = new StoreCheck(files, replacement: null, kept, progress, stop);
        check.Run();
        catalog = check._log.Catalog;
        return check.Report(account);
    }

    private void Run()
    {
        if (StoreDirectory.HasDamagedIdentity(_files))
        {
            _found.Add(new FoundDamage(StoreFindingKind.Damage, StoreIdentity.FileName, 0, 0, "the file with the version of the format is damaged"));
        }

        ReadMark();
        ulong last = Math.Max(_segments.LastOrDefault(), _mark?.Segment ?? 0);
        for (ulong number = _segments.Length > 0 ? _segments[0] : last; number <= last && number > 0; number++)
        {
            _stop.ThrowIfCancellationRequested();
            Check(number, number == last);
        }
    }

    private void ReadMark()
    {
        if (!_names.Contains(CloseMark.FileName))
        {
            return;
        }

        if (CloseMark.TryRead(_files.ReadAll(CloseMark.FileName), out CloseMark mark))
        {
            _mark = mark;
        }
        else
        {
            _found.Add(new FoundDamage(StoreFindingKind.Notice, CloseMark.FileName, 0, 0, "the mark of an orderly end is damaged; no message depends on it"));
        }
    }

    private void Check(ulong number, bool isLast)
    {
        CheckedSegment segment = _segments.Contains(number)
            ? CheckedSegment.Read(_files, number, isLast, _names.Contains(StoreFileNames.Index(number)), _mark)
            : CheckedSegment.Missing(number, isLast, _mark);
        if (!isLast && _segments.Contains(number + 1))
        {
            segment.ContinueWith(SegmentStart.Read(_files, number + 1).FirstGroup);
        }

        long time = DateTime.UtcNow.Ticks;
        SegmentRewrite? output = segment.IsDamaged ? _replacement?.Begin(segment, _log.Catalog, time) : null;
        _found.AddRange(segment.Notices);
        Replay(segment, output);
        bool hasLosses = segment.Items.Any(static item => item.Kind != SegmentItemKind.Record);
        if (hasLosses && !isLast)
        {
            _log.EndSegment(NextStart(number), output, time);
        }
        else if (segment.IsDamaged && isLast)
        {
            _log.EndLog((ulong)segment.Items.Sum(static item => item.Kind == SegmentItemKind.Lost ? item.Records : 0), output, time);
        }

        if (output is not null)
        {
            _replacement!.Write(segment, output);
        }

        _progress.Add(segment.Length);
    }

    private void Replay(CheckedSegment segment, SegmentRewrite? output)
    {
        var place = new Segment(segment.Header, _kept is null || segment.IsMissing ? new MemoryFile() : _files.Open(StoreFileNames.Segment(segment.Header.Number)));
        _kept?.Add(place);
        foreach (SegmentItem item in segment.Items)
        {
            if (item.Kind == SegmentItemKind.Record)
            {
                ReadOnlySpan<byte> record = segment.Bytes.AsSpan((int)item.Offset, (int)item.Length);
                _log.Add(RecordHead.Read(record), record, place, item.Offset, () => NextStart(segment.Header.Number), output);
                continue;
            }

            FoundDamage found = segment.Describe(item);
            _found.Add(found);
            if (item.Kind == SegmentItemKind.DamagedRecord)
            {
                _log.Lose(found, RecordHead.Read(segment.Bytes.AsSpan((int)item.Offset)));
            }
            else if (item.Kind == SegmentItemKind.Lost && !segment.TryName(item, head => _log.Lose(found, head)))
            {
                _log.Lose(found);
            }
        }
    }

    // The state of the streams at the first later segment whose start can be read.
    private SegmentStart? NextStart(ulong number)
        => _segments.Where(later => later > number).Select(later => SegmentStart.Read(_files, later)).FirstOrDefault(static start => start.IsWhole);

    private StoreReport Report(string account)
    {
        var streams = new List<StreamReport>();
        foreach (StoredStream stream in _log.Catalog.Streams)
        {
            SeenStream seen = _log.Seen(stream.Id);
            long lost = seen.CountLost(stream.First);
            if (seen.Mark is { } mark && !_found.Exists(found => found.Streams.Contains(stream.Id) || found.Lost.Exists(range => range.Stream == stream.Id)))
            {
                var found = new FoundDamage(
                    StoreFindingKind.Damage, mark.File, mark.Offset, 0, $"damage to the stream {stream.Name} was found here earlier, so the stream is refused; all its records are whole now");
                found.Streams.Add(stream.Id);
                _found.Add(found);
            }

            streams.Add(new StreamReport(stream.Name, stream.Messages, stream.Bytes, lost, stream.Last, stream.Consumers.Count));
        }

        return new StoreReport
        {
            Account = account,
            Folder = _files.Location,
            BytesRead = _progress.Done,
            Records = _log.Records,
            Findings = [.. _found.Select(found => found.ToFinding(_log.NameOf))],
            Streams = [.. streams.OrderBy(static stream => stream.Name, StringComparer.Ordinal)],
        };
    }
}
