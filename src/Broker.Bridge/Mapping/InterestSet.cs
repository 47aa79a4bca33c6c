namespace Broker.Bridge.Mapping;

/// <summary>Turns the ZeroMQ prefixes of all peers into the fewest NATS subscriptions, and says which of their messages to deliver.</summary>
/// <remarks>
/// <para>
/// Filters nest (<c>p.&gt;</c>, <c>p.a.&gt;</c>, <c>p.a.b.&gt;</c>). Those that are wanted and have no broader wanted one are the
/// covering set, and only these are newly subscribed. A subscription is active once the barrier after it has come back.
/// While it is pending, the subscriptions it replaces are held: narrower ones until the broader is active, a broader one
/// until no filter below it is pending. In between the server sends some messages twice; exactly one copy arrives on the
/// topmost active filter, and only that is delivered. Which filter that is for a message changes at barriers only, never
/// between its copies.
/// </para>
/// <para>
/// This rests on the server processing a connection's commands in order and placing the PONG neither between the copies
/// of a message nor before a message matched earlier.
/// </para>
/// <para>
/// Not thread safe: calls, and the reading of messages and PONGs, share one order. Memory is bounded by the maximal
/// number of prefixes and of their bytes: each needs at most one filter of at most <see cref="TopicCodec.MaxSubjectLength"/>.
/// </para>
/// </remarks>
internal sealed partial class InterestSet
{
    private readonly TopicCodec _codec;
    private readonly int _maxPrefixes;
    private readonly long _maxBytes;
    private readonly byte[] _buffer;
    private readonly Dictionary<byte[], long> _prefixes = new(new ByteStringComparer());
    private readonly Dictionary<byte[], long>.AlternateLookup<ReadOnlySpan<byte>> _prefixesBySpan;
    private long _bytes;

    /// <param name="codec">Lowers prefixes to filters.</param>
    /// <param name="maxPrefixes">Most distinct prefixes.</param>
    /// <param name="maxBytes">Most bytes in them together.</param>
    public InterestSet(TopicCodec codec, int maxPrefixes, long maxBytes)
    {
        _codec = codec;
        _maxPrefixes = maxPrefixes;
        _maxBytes = maxBytes;
        _buffer = new byte[codec.MaxSubjectLength];
        _prefixesBySpan = _prefixes.GetAlternateLookup<ReadOnlySpan<byte>>();
        _filtersBySpan = _filters.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    /// <summary>The number of distinct prefixes.</summary>
    public int PrefixCount => _prefixes.Count;

    /// <summary>The number of subscriptions held, pending or active.</summary>
    public int SubscriptionCount => _byId.Count;

    /// <summary>Adds one reference to a prefix.</summary>
    public InterestStatus Add<TCommands>(ReadOnlySpan<byte> prefix, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (_prefixesBySpan.TryGetValue(prefix, out long count))
        {
            _prefixesBySpan[prefix] = count + 1;
            return InterestStatus.Accepted;
        }

        if (_prefixes.Count >= _maxPrefixes)
        {
            return InterestStatus.TooManyPrefixes;
        }

        if (prefix.Length > _maxBytes - _bytes)
        {
            return InterestStatus.TooManyBytes;
        }

        _prefixesBySpan[prefix] = 1;
        _bytes += prefix.Length;
        Want(LowerToStem(prefix), ref commands);
        EndCommands(ref commands);
        return InterestStatus.Accepted;
    }

    /// <summary>Takes one reference to a prefix away.</summary>
    public InterestStatus Remove<TCommands>(ReadOnlySpan<byte> prefix, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (!_prefixesBySpan.TryGetValue(prefix, out long count))
        {
            return InterestStatus.Unknown;
        }

        if (count > 1)
        {
            _prefixesBySpan[prefix] = count - 1;
            return InterestStatus.Accepted;
        }

        _prefixesBySpan.Remove(prefix);
        _bytes -= prefix.Length;
        Unwant(_filtersBySpan[LowerToStem(prefix)], ref commands);
        EndCommands(ref commands);
        return InterestStatus.Accepted;
    }

    /// <summary>Whether a message that came through this subscription goes to the ZeroMQ peers. Constant time, no allocation.</summary>
    public bool ShouldDeliver(long id) =>
        _byId.TryGetValue(id, out var filter) && filter is { Phase: InterestPhase.Active, Topmost: true };

    private ReadOnlySpan<byte> LowerToStem(ReadOnlySpan<byte> prefix) =>
        _buffer.AsSpan(0, _codec.LowerPrefix(prefix, _buffer) - 2);
}
