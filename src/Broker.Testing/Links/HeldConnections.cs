using System.Net.Sockets;

namespace Broker.Testing.Links;

/// <summary>Connections that wait for each other, to go on in another order than they came in. Thread-safe.</summary>
internal sealed class HeldConnections(int[] order)
{
    private readonly Lock _gate = new();
    private readonly List<Socket> _held = [];
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _ended;

    /// <summary>Done when all have gone on.</summary>
    internal Task Done => _done.Task;

    /// <summary>Holds one more; answers all of them, in the order to go on in, when it is the last, and none before.</summary>
    internal IReadOnlyList<Socket> Add(Socket client)
    {
        lock (_gate)
        {
            if (_ended)
            {
                client.Close(0);
                return [];
            }

            _held.Add(client);
            return _held.Count == order.Length ? [.. order.Select(i => _held[i])] : [];
        }
    }

    internal void Complete() => _done.TrySetResult();

    /// <summary>Cuts off those that still wait, as the link ends.</summary>
    internal void End()
    {
        lock (_gate)
        {
            _ended = true;
            if (_done.TrySetCanceled())
            {
                _held.ForEach(static c => c.Close(0));
            }
        }
    }
}
