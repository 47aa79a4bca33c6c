namespace Broker.Streams;

/// <summary>Counts the bytes of segments that were read.</summary>
internal sealed class ReadProgress
{
    private readonly IProgress<MaintenanceProgress>? _receiver;
    private readonly long _total;

    internal ReadProgress(IStoreFiles files, IEnumerable<ulong> segments, IProgress<MaintenanceProgress>? receiver)
    {
        _receiver = receiver;
        if (receiver is not null)
        {
            foreach (ulong segment in segments)
            {
                using IStoreFile file = files.Open(StoreFileNames.Segment(segment));
                _total += file.Length;
            }
        }
    }

    internal long Done { get; private set; }

    internal void Add(long bytes)
    {
        Done += bytes;
        _receiver?.Report(new MaintenanceProgress(Done, _total));
    }
}
