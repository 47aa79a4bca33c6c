using System.Diagnostics;
using System.Text;
using Broker.Bridge.Mapping;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Client.Subscriptions;

namespace Broker.Bridge.PubSub;

// Which subjects are subscribed to: what SUB peers ask for, lowered to filters. Peers live on any loop; the interest set on
// the client's, where messages and PONGs arrive, so that all of it has one order.
//
// Changes are made in batches, each with one barrier, and the next not before the barrier of the last has come back. In
// between a prefix that is asked for and taken back costs nothing. That, and a pause in proportion to the work of a batch,
// bounds what a peer can cause that toggles a prefix above many others, of which each turn is a subscription for every one.
public sealed partial class PubSubBridge
{
    private const int MostPrefixBytes = 4 * 1024 * 1024;

    // At most a fifth of the loop's time goes into batches; those shorter than this are not worth a pause.
    private const int PauseFactor = 4;
    private static readonly TimeSpan ShortBatch = TimeSpan.FromMilliseconds(2);

    private readonly Lock _changesGate = new();
    private readonly InterestSet _interest;
    private readonly Dictionary<long, Subscription> _held = [];

    // What differs from the interest set: prefixes to add (true) and to take away. No larger than twice what the socket allows.
    private Dictionary<byte[], bool> _changes = new(new ByteStringComparer());

    private bool _applyPosted;

    // Both on the client's loop only: the barrier that the last commands need, and whether one is out or a pause is on.
    private long _barrierDue;
    private bool _batchOpen;

    /// <summary>How many changes wait.</summary>
    internal int InterestChanges
    {
        get
        {
            lock (_changesGate)
            {
                return _changes.Count;
            }
        }
    }

    /// <summary>The state of a subscription: its number in the interest set.</summary>
    private sealed record Held(long Id);

    // Under a lock of the socket, on the peer's loop.
    private void OnInterest(ReadOnlySpan<byte> prefix, bool wanted)
    {
        if (IsOver)
        {
            return;
        }

        bool post;
        lock (_changesGate)
        {
            post = !_applyPosted;
            _applyPosted = true;

            // True and false alternate for a prefix: the second takes back the first, which nobody has seen yet.
            if (!_changes.GetAlternateLookup<ReadOnlySpan<byte>>().Remove(prefix))
            {
                _changes.Add(prefix.ToArray(), wanted);
            }
        }

        if (post)
        {
            _client.Loop.Post(ApplyChanges);
        }
    }

    private void ApplyChanges()
    {
        Dictionary<byte[], bool> changes;
        lock (_changesGate)
        {
            _applyPosted = false;
            if (_batchOpen || IsOver || _changes.Count == 0)
            {
                return;
            }

            changes = _changes;
            _changes = new Dictionary<byte[], bool>(new ByteStringComparer());
        }

        _batchOpen = true;
        long begin = Stopwatch.GetTimestamp();
        Apply(changes);
        TimeSpan spent = Stopwatch.GetElapsedTime(begin);
        if (spent > ShortBatch)
        {
            _client.Loop.StartTimer(spent * PauseFactor, EndBatch);
        }
        else
        {
            _batchOpen = _barrierDue != 0;
        }

        SendBarrier(endsBatch: spent <= ShortBatch);
    }

    // New prefixes first: whoever exchanges one for another that overlaps it must not miss what both match. For that moment
    // the set may hold more than the socket allows.
    private void Apply(Dictionary<byte[], bool> changes)
    {
        var commands = new Commands(this);
        foreach ((byte[] prefix, _) in changes.Where(c => c.Value))
        {
            _interest.Add(prefix, ref commands);
        }

        foreach ((byte[] prefix, _) in changes.Where(c => !c.Value))
        {
            _interest.Remove(prefix, ref commands);
        }
    }

    private void EndBatch()
    {
        _batchOpen = false;
        ApplyChanges();
    }

    private bool IsOver => _closing || _client.State == ConnectionState.Closed;

    // The client would renew them by itself, under numbers that the interest set gives up when it is reset.
    private void DropHeld()
    {
        foreach (Subscription subscription in _held.Values)
        {
            subscription.Unsubscribe();
        }

        _held.Clear();
    }

    private void SendBarrier(bool endsBatch)
    {
        if (_barrierDue != 0)
        {
            _client.Barrier(endsBatch ? OnBatchBarrier : OnBarrier, _barrierDue);
            _barrierDue = 0;
        }
    }

    private void OnBarrier(object? token, bool reached)
    {
        if (reached)
        {
            var commands = new Commands(this);
            _interest.BarrierReached((long)token!, ref commands);
            SendBarrier(endsBatch: false);
        }
    }

    private void OnBatchBarrier(object? token, bool reached)
    {
        OnBarrier(token, reached);
        EndBatch();
    }

    private readonly struct Commands(PubSubBridge bridge) : IInterestCommands
    {
        public void Subscribe(long id, ReadOnlySpan<byte> filter)
        {
            try
            {
                bridge._held.Add(
                    id, bridge._client.Subscribe(Encoding.ASCII.GetString(filter), bridge.OnSubjectMessage, state: new Held(id)));
            }
            catch (ConnectionLostException)
            {
                // Closed for good a moment ago: there is nothing to subscribe to.
            }
        }

        public void Unsubscribe(long id)
        {
            if (bridge._held.Remove(id, out Subscription? subscription))
            {
                subscription.Unsubscribe();
            }
        }

        // One barrier behind all commands of a batch stands for the earlier ones.
        public void Barrier(long token) => bridge._barrierDue = token;
    }
}
