using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// Collects the changes that make the interest set contain the prefixes of all SUBs, or the empty prefix if the
/// prefixes exceed a limit. Thread-safe: the lock orders the callers that change prefixes and the loop that applies the
/// changes.
/// </summary>
/// <remarks>
/// No SUB is refused because of the prefixes of other SUBs. Above the limit, the bridge subscribes to everything under
/// its subject prefix, and the socket compares the topics, as it always does. When the prefixes have fallen to half of
/// the limit, the bridge subscribes to each prefix again.
/// </remarks>
internal sealed class InterestChanges(int maxPrefixes, long maxBytes)
{
    private readonly Lock _gate = new();

    // The prefixes that the interest set will contain when all changes have been applied.
    private readonly HashSet<byte[]> _known = new(new ByteStringComparer());
    private readonly HashSet<byte[]> _toAdd = new(new ByteStringComparer());
    private readonly HashSet<byte[]> _toRemove = new(new ByteStringComparer());
    private int _count;
    private long _bytes;
    private long _bytesToRemove;
    private bool _everything;

    /// <summary>The number of pending changes.</summary>
    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _toAdd.Count + _toRemove.Count;
            }
        }
    }

    /// <summary>
    /// Records that the first SUB has subscribed to a prefix or the last SUB has unsubscribed. The socket calls this
    /// method.
    /// </summary>
    internal void Change(ReadOnlySpan<byte> prefix, bool wanted, LoopPublisher socket)
    {
        lock (_gate)
        {
            _count += wanted ? 1 : -1;
            _bytes += wanted ? prefix.Length : -prefix.Length;
            if (!_everything)
            {
                Change(prefix, wanted);
                if (_count > maxPrefixes || _bytes > maxBytes)
                {
                    SwitchToEverything();
                }
            }
            else if (_count <= maxPrefixes / 2 && _bytes <= maxBytes / 2)
            {
                SwitchToPrefixes(socket);
            }
        }
    }

    /// <summary>
    /// Takes pending changes out; returns false if there are none. New prefixes come first: a SUB that replaces a
    /// prefix by an overlapping prefix must not miss messages that match both prefixes.
    /// </summary>
    /// <param name="work">The work to take: 1 for each prefix, and 1 for each 16 bytes of the prefix.</param>
    /// <param name="add">Receives the prefixes to add.</param>
    /// <param name="remove">Receives the prefixes to remove after that.</param>
    internal bool TakeBatch(int work, List<byte[]> add, List<byte[]> remove)
    {
        lock (_gate)
        {
            if (_toRemove.Count > maxPrefixes || _bytesToRemove > maxBytes)
            {
                // SUBs replace prefixes faster than the changes are applied. Removals then come first, so that they do
                // not accumulate.
                Move(_toRemove, remove, ref work);
            }

            Move(_toAdd, add, ref work);
            Move(_toRemove, remove, ref work);
            remove.ForEach(prefix => _bytesToRemove -= prefix.Length);
            return add.Count + remove.Count != 0;
        }
    }

    private static void Move(HashSet<byte[]> from, List<byte[]> to, ref int work)
    {
        foreach (byte[] prefix in from)
        {
            if (work <= 0)
            {
                break;
            }

            work -= 1 + (prefix.Length / 16);
            to.Add(prefix);
        }

        foreach (byte[] prefix in to)
        {
            from.Remove(prefix);
        }
    }

    private void Change(ReadOnlySpan<byte> prefix, bool wanted)
    {
        // A second change of the same prefix cancels the first one, which has not been applied yet.
        HashSet<byte[]>.AlternateLookup<ReadOnlySpan<byte>> known = _known.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (wanted)
        {
            byte[] copy = prefix.ToArray();
            if (!_known.Add(copy))
            {
                return;
            }

            if (_toRemove.Remove(copy))
            {
                _bytesToRemove -= copy.Length;
            }
            else
            {
                _toAdd.Add(copy);
            }
        }
        else if (known.TryGetValue(prefix, out byte[]? copy))
        {
            _known.Remove(copy);
            if (!_toAdd.Remove(copy))
            {
                _toRemove.Add(copy);
                _bytesToRemove += copy.Length;
            }
        }
    }

    private void SwitchToEverything()
    {
        _everything = true;
        foreach (byte[] prefix in _known.ToArray())
        {
            Change(prefix, wanted: false);
        }

        Change([], wanted: true);
    }

    private void SwitchToPrefixes(LoopPublisher socket)
    {
        _everything = false;
        Change([], wanted: false);
        var visitor = new Wanted(this);
        socket.VisitInterest(ref visitor);
    }

    private readonly struct Wanted(InterestChanges changes) : IPrefixVisitor
    {
        public void Visit(ReadOnlySpan<byte> prefix, int count) => changes.Change(prefix, wanted: true);
    }
}
