namespace Broker.LoadTest.Rows;

/// <summary>Holds publisher threads until all of them stand ready, so that no thread start is measured.</summary>
internal sealed class StartGate(int count) : IDisposable
{
    private readonly CountdownEvent _ready = new(count);

    // A kernel event: those that wait must not spin on the cores that the server is about to need.
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
