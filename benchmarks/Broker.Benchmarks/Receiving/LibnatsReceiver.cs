using Broker.Benchmarks.Peers;

namespace Broker.Benchmarks.Receiving;

/// <summary>NATS' client in C, which creates a thread for each subscription.</summary>
internal sealed class LibnatsReceiver : IReceiver
{
    private Libnats? _driver;

    public long Received => _driver?.Received ?? 0;

    public ulong Sum => _driver!.Sum;

    public void Start(int port, ReadOnlySpan<byte> filter)
    {
        _driver = new Libnats(port);
        _driver.Subscribe(filter);
    }

    public void Expect(long total) => _driver!.Expect(total);

    public void Wait() => _driver!.Wait();

    public void Dispose() => _driver?.Dispose();
}
