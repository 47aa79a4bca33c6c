namespace Broker.Streams;

/// <summary>The streams of a stopped store, for a copy of them. Changes nothing in its directory.</summary>
internal sealed class StoreSource : IDisposable
{
    private readonly StreamCatalog _catalog;
    private readonly List<Segment> _segments;

    private StoreSource(StreamCatalog catalog, List<Segment> segments)
    {
        _catalog = catalog;
        _segments = segments;
    }

    internal IEnumerable<StoredStream> Streams => _catalog.Streams.OrderBy(static stream => stream.Name, StringComparer.Ordinal);

    /// <summary>Reads every record of a store.</summary>
    /// <exception cref="StoreException">The store is damaged.</exception>
    internal static StoreSource Open(IStoreFiles files, string account, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        var segments = new List<Segment>();
        try
        {
            StoreReport report = StoreCheck.Run(files, account, segments, out StreamCatalog catalog, progress, stop);
            if (report.Findings.FirstOrDefault(static finding => finding.Kind == StoreFindingKind.Damage) is { } damage)
            {
                throw new StoreException(
                    $"The store '{files.Location}' is damaged: {damage.File} at {damage.Offset}: {damage.Text}. Nothing was copied.");
            }

            return new StoreSource(catalog, segments);
        }
        catch
        {
            segments.ForEach(static segment => segment.Dispose());
            throw;
        }
    }

    public void Dispose() => _segments.ForEach(static segment => segment.Dispose());
}
