using Broker.Bridge.Mapping;
using Broker.ZeroMq.Publishing;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.Bridge.PubSub;

/// <summary>
/// What is to change so that the interest set holds what all SUBs together ask for, or, where that is more than a limit, everything.
/// Any thread; the lock orders those who ask with the one who makes the changes.
/// </summary>
/// <remarks>
/// Nobody is refused for what others ask for. Above the limit the bridge subscribes to all that stands under its prefix, and
/// the socket compares topics as it does anyway; when half of the limit is left, to each prefix again.
/// </remarks>
internal sealed class InterestChanges(int maxPrefixes, long maxBytes)
{
    private readonly Lock _gate = new();

    // What the interest set holds when all changes are made.
    private readonly HashSet<byte[]> _known = new(new ByteStringComparer());
    private readonly HashSet<byte[]> _toAdd = new(new ByteStringComparer());
    private readonly HashSet<byte[]> _toRemove = new(new ByteStringComparer());
    private int _count;
    private long _bytes;
    private long _bytesToRemove;
    private bool _everything;

    /// <summary>How many changes wait.</summary>
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

    /// <summary>The first SUB asks for a prefix, or the last one no longer does. In the call of the socket.</summary>
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
                    AskForEverything();
                }
            }
            else if (_count <= maxPrefixes / 2 && _bytes <= maxBytes / 2)
            {
                AskForEach(socket);
            }
        }
    }

    /// <summary>
    /// Takes changes out: new prefixes first, since whoever exchanges one for another that overlaps it must not miss what both
    /// match. False when there are none.
    /// </summary>
    /// <param name="work">How much, in prefixes and the tokens they may have.</param>
    /// <param name="add">Receives prefixes to be added.</param>
    /// <param name="remove">Receives prefixes to be removed after that.</param>
    internal bool Take(int work, List<byte[]> add, List<byte[]> remove)
    {
        lock (_gate)
        {
            if (_toRemove.Count > maxPrefixes || _bytesToRemove > maxBytes)
            {
                // Somebody exchanges prefixes faster than they are subscribed to, and what is given up must not pile up.
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
        // A second change of a prefix takes back the first, which nobody has seen yet.
        var known = _known.GetAlternateLookup<ReadOnlySpan<byte>>();
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

    private void AskForEverything()
    {
        _everything = true;
        foreach (byte[] prefix in _known.ToArray())
        {
            Change(prefix, wanted: false);
        }

        Change([], wanted: true);
    }

    private void AskForEach(LoopPublisher socket)
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
