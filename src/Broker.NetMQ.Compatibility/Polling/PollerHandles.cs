using System.Net;
using System.Net.Sockets;

namespace NetMQ;

#pragma warning disable CA1001 // The thread that watches disposes the socket that wakes it.
/// <summary>
/// The sockets of the base library in a poller. A thread, which exists while there are such sockets, waits until one of
/// them can be read; then the poller's thread calls its callback.
/// </summary>
internal sealed class PollerHandles(WakeSignal signal)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Socket, Action<Socket>> _callbacks = [];
    private readonly HashSet<Socket> _readable = [];
    private Socket? _waker;
    private volatile bool _hasReadable;

    internal void Add(Socket socket, Action<Socket> callback)
    {
        lock (_gate)
        {
            _callbacks[socket] = callback;
            if (_waker is null)
            {
                // A socket that is connected to itself: a byte that is sent to it ends the wait of the thread.
                _waker = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
                _waker.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                _waker.Connect(_waker.LocalEndPoint!);
                new Thread(Watch) { IsBackground = true, Name = "NetMQPoller handles" }.Start(_waker);
            }
            else
            {
                WakeThread();
            }
        }
    }

    internal void Remove(Socket socket)
    {
        lock (_gate)
        {
            _readable.Remove(socket);
            if (!_callbacks.Remove(socket))
            {
                return;
            }

            WakeThread();
            if (_callbacks.Count == 0)
            {
                _waker = null;
            }
        }
    }

    internal bool Contains(Socket socket)
    {
        lock (_gate)
        {
            return _callbacks.ContainsKey(socket);
        }
    }

    internal void Clear()
    {
        Socket[] left;
        lock (_gate)
        {
            left = [.. _callbacks.Keys];
        }

        Array.ForEach(left, Remove);
    }

    /// <summary>Calls the callbacks of the sockets that can be read. Returns whether there was one.</summary>
    internal bool Serve()
    {
        if (!_hasReadable)
        {
            return false;
        }

        Socket[] ready;
        lock (_gate)
        {
            ready = [.. _readable];
            _hasReadable = false;
        }

        foreach (Socket socket in ready)
        {
            if (Find(socket) is { } callback)
            {
                callback(socket);
            }
        }

        // The thread watches a socket again only now, when the callback has read what there was.
        lock (_gate)
        {
            _readable.ExceptWith(ready);
            WakeThread();
        }

        return ready.Length > 0;
    }

    private Action<Socket>? Find(Socket socket)
    {
        lock (_gate)
        {
            return _callbacks.GetValueOrDefault(socket);
        }
    }

    private void WakeThread() => _waker?.Send([0]);

    private void Watch(object? state)
    {
        using var waker = (Socket)state!;
        byte[] wake = new byte[1];
        while (TryList(waker, out List<Socket> watched))
        {
            if (watched.RemoveAll(static socket => socket.SafeHandle.IsClosed) > 0)
            {
                ForgetClosed();
            }

            watched.Add(waker);
            try
            {
                Socket.Select(watched, null, null, -1);
            }
            catch (Exception failure) when (failure is ObjectDisposedException or SocketException)
            {
                ForgetClosed();
                continue;
            }

            if (watched.Remove(waker))
            {
                waker.Receive(wake);
            }

            Report(watched);
        }
    }

    private bool TryList(Socket waker, out List<Socket> watched)
    {
        lock (_gate)
        {
            watched = [.. _callbacks.Keys.Where(socket => !_readable.Contains(socket))];
            return _waker == waker;
        }
    }

    private void ForgetClosed()
    {
        Socket[] closed;
        lock (_gate)
        {
            closed = [.. _callbacks.Keys.Where(static socket => socket.SafeHandle.IsClosed)];
        }

        Array.ForEach(closed, Remove);
    }

    private void Report(List<Socket> readable)
    {
        if (readable.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            _readable.UnionWith(readable.Where(_callbacks.ContainsKey));
            _hasReadable = true;
        }

        signal.Wake();
    }
}
