namespace Broker.LoadTest.Driver;

/// <summary>A thread of a measurement. <see cref="Join"/> throws its exception again.</summary>
internal sealed class Worker
{
    private const int StackSize = 256 * 1024;

    private readonly Thread _thread;
    private Exception? _error;

    private Worker(string name, Action body, Action? onError)
        => _thread = new Thread(() => Run(body, onError), StackSize) { Name = name, IsBackground = true };

    public static Worker Start(string name, Action body, Action? onError = null)
    {
        var worker = new Worker(name, body, onError);
        worker._thread.Start();
        return worker;
    }

    public void Join()
    {
        _thread.Join();
        if (_error is not null)
        {
            throw new DriverException($"{_thread.Name}: {_error.Message}", _error);
        }
    }

    /// <summary>Waits for the thread without throwing, for a session that has failed already.</summary>
    public void JoinQuietly() => _thread.Join();

    private void Run(Action body, Action? onError)
    {
        try
        {
            body();
        }
        catch (Exception e) when (e is DriverException or IOException or System.Net.Sockets.SocketException or ObjectDisposedException)
        {
            _error = e;
            onError?.Invoke();
        }
    }
}
