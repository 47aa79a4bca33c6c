namespace Broker.LoadTest.Driver;

/// <summary>
/// The connections and threads of one measurement. Disposal closes the sockets, waits for the threads and only then
/// returns the buffers.
/// </summary>
internal sealed class Session(ServerAddress server, BufferPool buffers) : IDisposable
{
    private readonly List<RawConnection> _connections = [];
    private readonly List<Worker> _workers = [];

    public RawConnection Dial()
    {
        byte[] buffer = buffers.Rent();
        var connection = RawConnection.Dial(server, buffer);
        _connections.Add(connection);
        return connection;
    }

    /// <summary>
    /// Opens a connection with a buffer that is large enough for messages with payloads of this size.
    /// </summary>
    public RawConnection DialFor(int payloadSize)
    {
        const int RoomForHeads = 64 * 1024;
        if (payloadSize + RoomForHeads <= BufferPool.BufferSize)
        {
            return Dial();
        }

        var connection = RawConnection.Dial(server, GC.AllocateUninitializedArray<byte>(payloadSize + RoomForHeads, pinned: true));
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
}
