namespace Broker.LoadTest.Driver;

/// <summary>What all connections of a run share: receive buffers, and a certificate once one is asked for.</summary>
internal sealed class DriverResources : IDisposable
{
    private readonly Lazy<CertificateFiles> _certificate = new(() => new CertificateFiles());

    public BufferPool Buffers { get; } = new();

    public CertificateFiles Certificate => _certificate.Value;

    public void Dispose()
    {
        if (_certificate.IsValueCreated)
        {
            _certificate.Value.Dispose();
        }
    }
}
