using System.Text;
using Broker.Bridge.Mapping;
using Broker.Client;
using Broker.Client.Subscriptions;

namespace Broker.Bridge.PubSub;

// Which subjects are subscribed to: what SUB peers ask for, lowered to filters. Peers live on any loop; the interest set on
// the client's, where messages and PONGs arrive, so that all of it has one order.
public sealed partial class PubSubBridge
{
    private const int MostPrefixBytes = 4 * 1024 * 1024;

    private readonly Lock _changesGate = new();
    private readonly InterestSet _interest;
    private readonly Dictionary<long, Subscription> _held = [];
    private List<(byte[] Prefix, bool Wanted)> _changes = [];
    private Dictionary<byte[], int> _undone = new(new ByteStringComparer());

    /// <summary>The state of a subscription: its number in the interest set.</summary>
    private sealed record Held(long Id);

    // Under a lock of the socket. A peer that asks and takes back in turn changes one entry, not the length of the list.
    private void OnInterest(ReadOnlySpan<byte> prefix, bool wanted)
    {
        byte[] key = prefix.ToArray();
        bool first;
        lock (_changesGate)
        {
            if (_undone.Remove(key, out int index))
            {
                // True and false alternate for a prefix: this takes back the one that nobody has seen yet.
                _changes[index] = default;
                return;
            }

            first = _changes.Count == 0;
            _undone.Add(key, _changes.Count);
            _changes.Add((key, wanted));
        }

        if (first)
        {
            _client.Loop.Post(ApplyChanges);
        }
    }

    private void ApplyChanges()
    {
        if (_client.State == ConnectionState.Closed)
        {
            return;
        }

        List<(byte[]? Prefix, bool Wanted)> changes;
        lock (_changesGate)
        {
            changes = _changes!;
            _changes = [];
            _undone = new Dictionary<byte[], int>(new ByteStringComparer());
        }

        var commands = new Commands(this);
        foreach ((byte[]? prefix, bool wanted) in changes)
        {
            if (prefix is null)
            {
                continue;
            }

            InterestStatus status = wanted ? _interest.Add(prefix, ref commands) : _interest.Remove(prefix, ref commands);
            if (status is InterestStatus.TooManyPrefixes or InterestStatus.TooManyBytes)
            {
                _log.NotBridged("there are too many different ones");
            }
        }
    }

    private void OnServerLost(Exception reason)
    {
        if (!_stopping)
        {
            _log.ServerLost(reason.Message);
        }

        DropHeld();
    }

    private void OnServerBack()
    {
        // What was asked for meanwhile.
        DropHeld();
        var commands = new Commands(this);
        _interest.ConnectionReset(ref commands);
        _log.ServerBack(_interest.SubscriptionCount);
    }

    // The client would renew them by itself, under numbers that the interest set gives up when it is reset.
    private void DropHeld()
    {
        foreach (Subscription subscription in _held.Values)
        {
            subscription.Unsubscribe();
        }

        _held.Clear();
    }

    private readonly struct Commands(PubSubBridge bridge) : IInterestCommands
    {
        public void Subscribe(long id, ReadOnlySpan<byte> filter)
            => bridge._held.Add(
                id, bridge._client.Subscribe(Encoding.ASCII.GetString(filter), bridge.OnSubjectMessage, state: new Held(id)));

        public void Unsubscribe(long id)
        {
            if (bridge._held.Remove(id, out Subscription? subscription))
            {
                subscription.Unsubscribe();
            }
        }

        public void Barrier(long token) => bridge._client.Barrier(bridge.OnBarrier, token);
    }

    private void OnBarrier(object? token, bool reached)
    {
        if (reached)
        {
            var commands = new Commands(this);
            _interest.BarrierReached((long)token!, ref commands);
        }
    }
}
