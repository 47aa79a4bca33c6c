using System.Net;

namespace Broker.LoadTest.Driver;

/// <summary>
/// The connections and threads of one measurement. Disposal closes the sockets, waits for the threads and only then
/// gives the buffers back.
/// </summary>
internal sealed class Session(IPEndPoint endPoint, BufferPool buffers) : IDisposable
{
    private readonly List<RawConnection> _connections = [];
    private readonly List<Worker> _workers = [];

    public RawConnection Dial()
    {
        byte[] buffer = buffers.Rent();
        var connection = RawConnection.Dial(endPoint, buffer);
        _connections.Add(connection);
        return connection;
    }

    public RawConnection[] Dial(int count)
    {
        var dialled = new RawConnection[count];
        for (int i = 0; i < count; i++)
            dialled[i] = Dial();
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
            connection.Close();
        foreach (Worker worker in _workers)
            worker.JoinQuietly();
        foreach (RawConnection connection in _connections)
        {
            connection.Dispose();
            buffers.Return(connection.Buffer);
        }
    }
}
