namespace Broker.Bridge;

/// <summary>
/// Converts the ZeroMQ prefixes of all peers to the fewest NATS subscriptions, and decides which messages of the
/// subscriptions to deliver.
/// </summary>
/// <remarks>
/// <para>
/// Filters are nested (<c>p.&gt;</c>, <c>p.a.&gt;</c>, <c>p.a.b.&gt;</c>). The set subscribes only to needed filters
/// that have no broader needed filter. A subscription is active when the PONG of the barrier after it has arrived.
/// While it is pending, the subscriptions that it replaces stay. Narrower subscriptions stay until the broader one is
/// active. A broader subscription stays until no filter below it is pending. During this time the server sends some
/// messages twice. Exactly one copy arrives through the topmost active filter, and only this copy is delivered. The
/// topmost active filter of a message changes at barriers only, never between the copies of the message.
/// </para>
/// <para>
/// This requires that the server processes the commands of a connection in order, and that it does not send a PONG
/// between the copies of a message or before a message that it matched earlier.
/// </para>
/// <para>
/// Not thread-safe: all calls must run in the order in which messages and PONGs arrive. The limits on the number and
/// the bytes of the prefixes limit the memory: each prefix needs at most one filter of at most
/// <see cref="TopicCodec.MaxSubjectLength"/> bytes.
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

    /// <param name="codec">Converts prefixes to filters.</param>
    /// <param name="maxPrefixes">The largest number of different prefixes.</param>
    /// <param name="maxBytes">The largest total size of the prefixes in bytes.</param>
    public InterestSet(TopicCodec codec, int maxPrefixes, long maxBytes)
    {
        _codec = codec;
        _maxPrefixes = maxPrefixes;
        _maxBytes = maxBytes;
        _buffer = new byte[codec.MaxSubjectLength];
        _prefixesBySpan = _prefixes.GetAlternateLookup<ReadOnlySpan<byte>>();
        _filtersBySpan = _filters.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    /// <summary>The number of different prefixes.</summary>
    public int PrefixCount => _prefixes.Count;

    /// <summary>The number of subscriptions, pending or active.</summary>
    public int SubscriptionCount => _byId.Count;

    /// <summary>Adds one reference to a prefix. The set keeps the array, which must not change any more.</summary>
    public InterestStatus Add<TCommands>(byte[] prefix, ref TCommands commands)
        where TCommands : IInterestCommands
    {
        if (_prefixes.TryGetValue(prefix, out long count))
        {
            _prefixes[prefix] = count + 1;
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

        _prefixes.Add(prefix, 1);
        _bytes += prefix.Length;
        Want(LowerToStem(prefix), ref commands);
        EndCommands(ref commands);
        return InterestStatus.Accepted;
    }

    /// <summary>Removes one reference to a prefix.</summary>
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

    /// <summary>
    /// Returns whether to deliver a message of this subscription to ZeroMQ peers. Takes constant time and does not
    /// allocate.
    /// </summary>
    public bool ShouldDeliver(long id)
        => _byId.TryGetValue(id, out InterestFilter? filter) && filter is { Phase: InterestPhase.Active, Topmost: true };

    private ReadOnlySpan<byte> LowerToStem(ReadOnlySpan<byte> prefix)
        => _buffer.AsSpan(0, _codec.LowerPrefix(prefix, _buffer) - 2);
}
