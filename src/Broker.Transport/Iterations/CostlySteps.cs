namespace Broker.Transport;

/// <summary>
/// Limits the number of costly steps, like commands of a CURVE handshake, that one iteration of a loop runs for all its
/// connections together. Connections that have to wait continue in the order in which they asked. Not thread-safe: only
/// the loop uses this object.
/// </summary>
internal sealed class CostlySteps
{
    private const int MostSteps = 4;

    private readonly Queue<Connection> _waiting = new();
    private int _begun;
    private Connection? _next;

    /// <summary>The number of connections that wait.</summary>
    internal int Waiting => _waiting.Count;

    /// <summary>Whether this iteration may run another step.</summary>
    internal bool HasFree => _begun < MostSteps;

    /// <summary>Called when the next iteration begins.</summary>
    internal void BeginIteration() => _begun = 0;

    /// <summary>
    /// Whether a connection may run a costly step in this iteration. While other connections wait, a connection that
    /// asks now must wait too.
    /// </summary>
    internal bool TryBegin(Connection connection)
    {
        if (!HasFree || (_waiting.Count > 0 && connection != _next))
        {
            return false;
        }

        _begun++;
        return true;
    }

    /// <summary>Adds a connection that has to wait.</summary>
    internal void Add(Connection connection) => _waiting.Enqueue(connection);

    /// <summary>Returns the connection that has waited longest, which may now begin its step.</summary>
    internal Connection TakeNext() => _next = _waiting.Dequeue();

    /// <summary>Called after the connections that may continue in this iteration have been called.</summary>
    internal void EndTaking() => _next = null;
}
