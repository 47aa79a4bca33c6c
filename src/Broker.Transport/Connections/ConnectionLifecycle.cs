using System.Diagnostics;

namespace Broker.Transport;

/// <summary>
/// The state of a connection and the reason of its end. Only the connection's loop changes the state, and other threads
/// read it. The state only moves forward.
/// </summary>
internal struct ConnectionLifecycle
{
    private volatile ConnectionState _state;

    internal readonly ConnectionState State => _state;

    /// <summary>Whether the connection carries bytes. It does so until one of the two sides closes it.</summary>
    internal readonly bool IsOpen => _state <= ConnectionState.PeerEnded;

    /// <summary>Whether this side was closed, but the connection still sends its queue or waits for the peer.</summary>
    internal readonly bool IsLingering => _state is > ConnectionState.PeerEnded and < ConnectionState.Closed;

    internal readonly bool IsClosed => _state == ConnectionState.Closed;

    /// <summary>Whether the queue is being sent before the connection ends.</summary>
    internal readonly bool IsFlushing => _state is ConnectionState.Flushing or ConnectionState.FlushingAfterPeer;

    /// <summary>Whether the handler's <see cref="ConnectionHandler.OnOpened"/> was called or is being called.</summary>
    internal readonly bool IsAnnounced => _state != ConnectionState.Opening;

    /// <summary>The reason for which the connection ended.</summary>
    internal CloseReason Reason { get; private set; }

    /// <summary>The error that ended the connection, if there was one.</summary>
    internal Exception? Error { get; private set; }

    /// <summary>The transitions that are allowed.</summary>
    internal static bool IsAllowed(ConnectionState from, ConnectionState to) => (from, to) switch
    {
        (ConnectionState.Opening, ConnectionState.Open) => true,
        (ConnectionState.Open, ConnectionState.PeerEnded or ConnectionState.Flushing) => true,
        (ConnectionState.PeerEnded, ConnectionState.FlushingAfterPeer) => true,
        (ConnectionState.Flushing, ConnectionState.FlushingAfterPeer or ConnectionState.HalfClosed) => true,
        (ConnectionState.Opening or ConnectionState.Closed, _) => false,
        (_, ConnectionState.Closed) => true,
        _ => false,
    };

    /// <summary>The connection opens. The handler's OnOpened is called next.</summary>
    internal void Open() => Move(ConnectionState.Open);

    /// <summary>Sets the reason for the handler, if none was set before: the first reason counts.</summary>
    internal void SetReason(CloseReason reason, Exception? error)
    {
        if (IsOpen)
        {
            Reason = reason;
            Error = error;
        }
    }

    /// <summary>This side was closed. Its queue is sent before the connection ends.</summary>
    internal void BeginFlushing()
        => Move(_state == ConnectionState.PeerEnded ? ConnectionState.FlushingAfterPeer : ConnectionState.Flushing);

    /// <summary>
    /// The peer has ended its stream, but this side still has to flush, or its handshake still has to fail.
    /// </summary>
    internal void EndPeer()
    {
        if (_state is ConnectionState.Open or ConnectionState.Flushing)
        {
            Move(_state == ConnectionState.Open ? ConnectionState.PeerEnded : ConnectionState.FlushingAfterPeer);
        }
    }

    /// <summary>This side's direction has ended.</summary>
    internal void HalfClose() => Move(ConnectionState.HalfClosed);

    /// <summary>Closes the connection. Returns false if it was already closed.</summary>
    internal bool TryClose()
    {
        if (_state == ConnectionState.Closed)
        {
            return false;
        }

        Move(ConnectionState.Closed);
        return true;
    }

    private void Move(ConnectionState to)
    {
        Debug.Assert(IsAllowed(_state, to), $"A connection cannot change from {_state} to {to}.");
        _state = to;
    }
}
