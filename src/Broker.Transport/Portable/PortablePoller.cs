using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>
/// Waits with <see cref="SocketAsyncEventArgs"/>: a receive of zero bytes completes when there is something to receive.
/// It completes on a thread of the thread pool, which adds the connection to the loop's list and wakes the loop. This
/// poller works on every system.
/// </summary>
internal sealed class PortablePoller : Poller
{
    private readonly Lock _gate = new();
    private readonly ManualResetEventSlim _signal = new(false, spinCount: 0);
    private List<PortableConnection> _ready = [];
    private List<PortableConnection> _running = [];

    public override void Dispose() => _signal.Dispose();

    internal override Connection Adopt(EventLoop loop, Socket socket, ConnectionHandler handler)
        => new PortableConnection(loop, this, socket, handler);

    internal override int Wait(int milliseconds)
    {
        if (milliseconds != 0)
        {
            _signal.Wait(milliseconds);
        }
        else if (!_signal.IsSet)
        {
            return 0;
        }

        lock (_gate)
        {
            if (!_signal.IsSet)
            {
                return 0;
            }

            _signal.Reset();
            (_ready, _running) = (_running, _ready);
        }

        return Math.Max(_running.Count, 1);
    }

    internal override void Dispatch(int ready)
    {
        int ends = 0;
        foreach (PortableConnection connection in _running)
        {
            if (ends == MostEnds)
            {
                Report(connection);
                continue;
            }

            try
            {
                if (connection.Gate.IsPaused)
                {
                    connection.OnReadableWhilePaused();
                    continue;
                }

                if (connection.IsDeferred)
                {
                    Report(connection);
                    continue;
                }

                connection.OnReadable(ready);
                ends += connection.IsOpen ? 0 : 1;
                connection.AwaitReadable();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                connection.Closing.Fail(e);
            }
        }

        _running.Clear();
    }

    internal override void Wake()
    {
        lock (_gate)
        {
            _signal.Set();
        }
    }

    /// <summary>Reports a connection as readable. Any thread.</summary>
    internal void Report(PortableConnection connection)
    {
        lock (_gate)
        {
            _ready.Add(connection);
            _signal.Set();
        }
    }
}
