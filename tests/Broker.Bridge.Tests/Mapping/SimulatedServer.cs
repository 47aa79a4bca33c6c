using System.Text;

namespace Broker.Bridge.Tests.Mapping;

/// <summary>
/// A simulated server that processes commands in order with a delay. Its messages and PONGs arrive with a further
/// delay.
/// </summary>
internal sealed class SimulatedServer(Random random) : IInterestCommands
{
    private readonly Queue<Action> _commands = new();
    private readonly Queue<(long Id, int Message, long Token)> _toClient = new();
    private readonly SortedDictionary<long, string> _subscriptions = [];

    public long LastToken { get; private set; }

    public int Subscriptions => _subscriptions.Count;

    public IEnumerable<string> Filters => _subscriptions.Values;

    public void Subscribe(long id, ReadOnlySpan<byte> filter)
    {
        string text = Encoding.Latin1.GetString(filter);
        _commands.Enqueue(() => _subscriptions.Add(id, text));
    }

    public void Unsubscribe(long id) => _commands.Enqueue(() => Assert.True(_subscriptions.Remove(id)));

    public void Barrier(long token)
    {
        LastToken = token;
        _commands.Enqueue(() => _toClient.Enqueue((0, 0, token)));
    }

    public bool Process()
    {
        if (!_commands.TryDequeue(out Action? command))
        {
            return false;
        }

        command();
        return true;
    }

    public void Publish(string subject, int message)
    {
        long[] ids = [.. _subscriptions.Where(s => Subjects.Matches(s.Value, subject)).Select(static s => s.Key)];
        random.Shuffle(ids);
        foreach (long id in ids)
        {
            _toClient.Enqueue((id, message, 0));
        }
    }

    public bool TryReceive(out (long Id, int Message, long Token) received) => _toClient.TryDequeue(out received);

    public void Disconnect()
    {
        _commands.Clear();
        _toClient.Clear();
        _subscriptions.Clear();
    }
}
