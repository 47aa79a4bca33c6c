using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>
/// The data of a client that wants to connect. The object contains secrets, so do not keep it after the decision.
/// </summary>
public sealed class AuthorizationRequest
{
    internal AuthorizationRequest()
    {
    }

    /// <summary>The client id, as in INFO and in the log.</summary>
    public required ulong ClientId { get; init; }

    /// <summary>The client's address; null for an in-process client.</summary>
    public EndPoint? RemoteEndPoint { get; init; }

    /// <summary>The field <c>user</c> of the CONNECT.</summary>
    public string? UserName { get; init; }

    /// <summary>The field <c>pass</c> of the CONNECT.</summary>
    public string? Password { get; init; }

    /// <summary>The field <c>auth_token</c> of the CONNECT.</summary>
    public string? Token { get; init; }

    /// <summary>The client's name from its CONNECT; the server does not verify it.</summary>
    public string? ClientName { get; init; }

    /// <summary>
    /// The client certificate that was verified in the TLS handshake; null if the client sent no certificate.
    /// </summary>
    public X509Certificate2? PeerCertificate { get; init; }

    /// <summary>Returns the client id and no secret.</summary>
    public override string ToString() => $"client {ClientId}";
}
