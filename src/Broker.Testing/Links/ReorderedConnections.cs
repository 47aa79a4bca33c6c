using System.Net.Sockets;

namespace Broker.Testing;

/// <summary>
/// Connections that wait until all of them have arrived, and are then connected in another order. Thread-safe.
/// </summary>
internal sealed class ReorderedConnections(int[] order)
{
    private readonly Lock _gate = new();
    private readonly List<Socket> _held = [];
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _ended;

    /// <summary>Completes when all connections have been connected.</summary>
    internal Task Done => _done.Task;

    /// <summary>
    /// Adds a connection. Returns all connections in the requested order if this connection is the last, and otherwise
    /// an empty list.
    /// </summary>
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

    /// <summary>Closes the waiting connections, because the link is disposed.</summary>
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
