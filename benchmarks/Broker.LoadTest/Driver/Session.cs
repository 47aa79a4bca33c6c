namespace Broker.LoadTest.Driver;

/// <summary>
/// The connections and threads of one measurement. Disposal closes the sockets, waits for the threads and only then
/// returns the buffers.
/// </summary>
/// <param name="server">The server of the publishers, and of the subscribers if they have none of their own.</param>
/// <param name="buffers">The buffers of all connections.</param>
/// <param name="readers">The server of the subscribers, at the other end of a leaf link; null for the same one.</param>
internal sealed class Session(ServerAddress server, BufferPool buffers, ServerAddress? readers = null) : IDisposable
{
    private readonly List<RawConnection> _connections = [];
    private readonly List<Worker> _workers = [];
    private LinkMarker? _marker;

    /// <summary>Whether the subscribers are at the other end of a leaf link.</summary>
    public bool IsLinked => readers is not null;

    public RawConnection Dial() => Dial(server);

    /// <summary>
    /// Opens a connection for a subscriber, with a buffer that is large enough for messages with payloads of this size.
    /// </summary>
    public RawConnection DialReader(int payloadSize = 0)
    {
        const int RoomForHeads = 64 * 1024;
        if (payloadSize + RoomForHeads <= BufferPool.BufferSize)
        {
            return Dial(readers ?? server);
        }

        var connection = RawConnection.Dial(readers ?? server, GC.AllocateUninitializedArray<byte>(payloadSize + RoomForHeads, pinned: true));
        _connections.Add(connection);
        return connection;
    }

    public RawConnection[] Dial(int count)
    {
        var dialled = new RawConnection[count];
        for (int i = 0; i < count; i++)
        {
            dialled[i] = Dial();
        }

        return dialled;
    }

    /// <summary>
    /// Waits until the publishers' server knows the subscriptions that the subscribers' server has confirmed.
    /// </summary>
    public void AwaitInterest()
    {
        if (IsLinked)
        {
            _marker ??= new LinkMarker(Dial(), DialReader());
            _marker.AwaitInterest();
        }
    }

    /// <summary>
    /// Waits until everything that this connection has published is queued for the subscribers. Thread-safe.
    /// </summary>
    public void Settle(RawConnection publisher)
    {
        publisher.Fence();
        _marker?.Follow(publisher);
    }

    public Worker Start(string name, Action body, Action? onError = null)
    {
        var worker = Worker.Start(name, body, onError);
        _workers.Add(worker);
        return worker;
    }

    public void Dispose()
    {
        foreach (RawConnection connection in _connections)
        {
            connection.Close();
        }

        foreach (Worker worker in _workers)
        {
            worker.JoinQuietly();
        }

        foreach (RawConnection connection in _connections)
        {
            connection.Dispose();
            if (connection.Buffer.Length == BufferPool.BufferSize)
            {
                buffers.Return(connection.Buffer);
            }
        }
    }

    private RawConnection Dial(ServerAddress address)
    {
        byte[] buffer = buffers.Rent();
        var connection = RawConnection.Dial(address, buffer);
        _connections.Add(connection);
        return connection;
    }
}
