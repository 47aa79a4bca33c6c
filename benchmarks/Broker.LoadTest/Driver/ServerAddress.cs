using System.Net;

namespace Broker.LoadTest.Driver;

/// <summary>The address of a server, and its certificate if it uses TLS.</summary>
internal sealed record ServerAddress(IPEndPoint EndPoint, CertificateFiles? Certificate);
