using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The scratch memory and the counters of one loop. Used on this loop only, but any thread may read the counters.
/// </summary>
internal sealed class LoopScratch
{
    private const int Smallest = 4096;

    private byte[] _bytes = new byte[Smallest];

    internal long MessagesIn { get; set; }

    internal long RefusedIn { get; set; }

    internal long Received { get; set; }

    internal long MessagesOut { get; set; }

    internal long Dropped { get; set; }

    /// <summary>Whether the message that is being handled must wait, because the server reads too slowly.</summary>
    internal bool MustWait { get; set; }

    /// <summary>The peers of the loop that are not read, because one of their messages waits.</summary>
    internal HashSet<ZeroMqPeer> Waiting { get; } = [];

    /// <summary>
    /// Returns at least this number of bytes, valid until the next call. Message sizes are limited, so the memory is
    /// limited too.
    /// </summary>
    internal Span<byte> Take(int size)
    {
        if (_bytes.Length < size)
        {
            _bytes = new byte[Math.Max(size, _bytes.Length * 2)];
        }

        return _bytes;
    }
}
