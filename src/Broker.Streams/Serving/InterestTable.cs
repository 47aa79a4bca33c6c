using System.Text;
using Broker.Protocol;
using Broker.Server;
using Broker.Transport;

namespace Broker.Streams;

/// <summary>
/// Knows which subjects of push consumers have subscriptions. It watches the subscriptions of the account from the first
/// push consumer on.
/// </summary>
internal sealed class InterestTable(BrokerServer server, string? account, EventLoop loop) : IMessageTargetHandler, IDisposable
{
    private const int LeastConsumers = 16;

    private readonly Dictionary<byte[], int> _filters = new(SubjectComparer.Instance);
    private readonly List<(ServedConsumer Consumer, byte[] Subject)> _consumers = [];
    private MessageTarget? _target;
    private int _mostConsumers = LeastConsumers;

    /// <summary>The number of consumers, with deleted ones that are not forgotten yet.</summary>
    internal int Count => _consumers.Count;

    /// <summary>Adds a push consumer. Its binding is set now and at each change.</summary>
    internal void Add(ServedConsumer consumer)
    {
        byte[] subject = Encoding.UTF8.GetBytes(consumer.Config.DeliverSubject!);
        if (_consumers.Count >= _mostConsumers)
        {
            _consumers.RemoveAll(static known => known.Consumer.IsDeleted);
            _mostConsumers = Math.Max(LeastConsumers, 2 * _consumers.Count);
        }

        _consumers.Add((consumer, subject));
        _target ??= server.AddTarget(this, new MessageTargetOptions { Account = account, Loop = loop, WatchInterest = true });
        consumer.SetBound(IsWanted(subject));
    }

    public void OnMessages(MessageBatch batch)
    {
    }

    public void OnInterestChanged(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, bool isAdded)
    {
        Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> lookup = _filters.GetAlternateLookup<ReadOnlySpan<byte>>();
        lookup.TryGetValue(filter, out int count);
        count += isAdded ? 1 : -1;
        if (count > 0)
        {
            lookup[filter] = count;
        }
        else
        {
            lookup.Remove(filter);
        }

        for (int i = _consumers.Count - 1; i >= 0; i--)
        {
            (ServedConsumer consumer, byte[] subject) = _consumers[i];
            if (consumer.IsDeleted)
            {
                _consumers.RemoveAt(i);
            }
            else if (Subject.Matches(filter, subject))
            {
                consumer.SetBound(IsWanted(subject));
            }
        }
    }

    public void Dispose() => _target?.Dispose();

    private bool IsWanted(byte[] subject)
    {
        if (_filters.ContainsKey(subject))
        {
            return true;
        }

        foreach (byte[] filter in _filters.Keys)
        {
            if (Subject.Matches(filter, subject))
            {
                return true;
            }
        }

        return false;
    }
}
