namespace Broker.LoadTest.Rows;

/// <summary>Blocks publisher threads until all of them are ready, so that no thread start is measured.</summary>
internal sealed class StartGate(int count) : IDisposable
{
    private readonly CountdownEvent _ready = new(count);

    // A kernel event is used because waiting threads must not spin on the processors that the server needs.
    private readonly ManualResetEvent _open = new(initialState: false);

    public void Wait()
    {
        _ready.Signal();
        _open.WaitOne();
    }

    public void AwaitAll() => _ready.Wait();

    public void Open() => _open.Set();

    public void Dispose()
    {
        _ready.Dispose();
        _open.Dispose();
    }
}
