namespace Broker.ZeroMq.Loops;

/// <summary>
/// The endpoints that a socket has bound, with their listeners, and the endpoints that it connects to, with their
/// links. Used under the lock of the socket.
/// </summary>
internal sealed class SocketEndpoints
{
    private readonly List<(string Asked, ZeroMqEndpoint Bound, IDisposable Listener)> _bound = [];
    private readonly List<OutgoingLink> _links = [];

    /// <summary>
    /// The endpoint that was added last; null before the first endpoint. May be read without the lock.
    /// </summary>
    internal ZeroMqEndpoint? Last { get; private set; }

    internal IEnumerable<IDisposable> Listeners => _bound.Select(bound => bound.Listener);

    internal IEnumerable<OutgoingLink> Links => _links;

    /// <summary>Adds an endpoint that was bound.</summary>
    /// <param name="asked">The endpoint as the caller has named it.</param>
    /// <param name="bound">The same endpoint with the port or path that the system chose.</param>
    /// <param name="listener">The listener of the endpoint.</param>
    internal void Add(ZeroMqEndpoint asked, ZeroMqEndpoint bound, IDisposable listener)
    {
        _bound.Add((asked.ToString(), bound, listener));
        Last = bound;
    }

    /// <summary>Adds an endpoint that the socket connects to.</summary>
    internal void Add(ZeroMqEndpoint asked, OutgoingLink link)
    {
        _links.Add(link);
        Last = asked;
    }

    /// <summary>
    /// Removes the first bound endpoint that has this name, and returns its listener; null if there is none.
    /// </summary>
    internal IDisposable? TakeListener(string name)
    {
        int index = _bound.FindIndex(bound => Same(bound.Bound.ToString(), name) || Same(bound.Asked, name));
        if (index < 0)
        {
            return null;
        }

        IDisposable listener = _bound[index].Listener;
        _bound.RemoveAt(index);
        return listener;
    }

    /// <summary>Removes the first link to this endpoint, and returns it; null if there is none.</summary>
    internal OutgoingLink? TakeLink(string name)
    {
        int index = _links.FindIndex(link => Same(link.Endpoint, name));
        if (index < 0)
        {
            return null;
        }

        OutgoingLink link = _links[index];
        _links.RemoveAt(index);
        return link;
    }

    internal void Remove(OutgoingLink link) => _links.Remove(link);

    private static bool Same(string left, string right) => string.Equals(left, right, StringComparison.Ordinal);
}
