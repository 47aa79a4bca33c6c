namespace Broker.Transport;

/// <summary>
/// Limits how many costly steps, like commands of a CURVE handshake, one iteration runs for all connections of a loop
/// together. Connections that have to wait continue in the order in which they asked. Not thread-safe: only its
/// loop uses it.
/// </summary>
internal sealed class CostlySteps
{
    private const int MostSteps = 4;

    private readonly Queue<Connection> _waiting = new();
    private int _begun;
    private Connection? _next;

    /// <summary>How many connections wait.</summary>
    internal int Waiting => _waiting.Count;

    /// <summary>Whether this iteration may run another step.</summary>
    internal bool HasFree => _begun < MostSteps;

    /// <summary>The next iteration begins.</summary>
    internal void BeginIteration() => _begun = 0;

    /// <summary>
    /// Whether a connection may run a costly step in this iteration. A connection that asks later than one that waits
    /// must wait too.
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

    /// <summary>The connections that may continue in this iteration have been called.</summary>
    internal void EndTaking() => _next = null;
}
