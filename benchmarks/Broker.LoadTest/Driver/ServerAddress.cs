using System.Net;

namespace Broker.LoadTest.Driver;

/// <summary>Where a server listens, and the certificate it shows when it speaks TLS.</summary>
internal sealed record ServerAddress(IPEndPoint EndPoint, CertificateFiles? Certificate);
