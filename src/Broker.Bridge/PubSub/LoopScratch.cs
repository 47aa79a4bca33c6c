namespace Broker.Bridge.PubSub;

/// <summary>One loop's memory for mapping, and its counters. Used on that loop only; counters are read by others.</summary>
internal sealed class LoopScratch
{
    private const int Smallest = 4096;

    private byte[] _bytes = new byte[Smallest];

    internal long MessagesIn { get; set; }

    internal long RefusedIn { get; set; }

    internal long Received { get; set; }

    internal long MessagesOut { get; set; }

    internal long Dropped { get; set; }

    /// <summary>At least that many bytes, good until the next call. Messages are bounded, and so is what is kept here.</summary>
    internal Span<byte> Take(int size)
    {
        if (_bytes.Length < size)
        {
            _bytes = new byte[Math.Max(size, _bytes.Length * 2)];
        }

        return _bytes;
    }
}
