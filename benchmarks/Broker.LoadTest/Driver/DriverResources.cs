namespace Broker.LoadTest.Driver;

/// <summary>The resources that all connections of a run share: receive buffers and, if needed, a certificate.</summary>
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
