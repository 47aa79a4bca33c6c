using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace Broker.Server.Security;

/// <summary>Who wants to connect, by its CONNECT. Holds secrets: keep it no longer than the decision takes.</summary>
public sealed class AuthorizationRequest
{
    internal AuthorizationRequest()
    {
    }

    /// <summary>The client's number, as in INFO and the log.</summary>
    public required ulong ClientId { get; init; }

    /// <summary>Where it comes from; null for a client in this process.</summary>
    public EndPoint? RemoteEndPoint { get; init; }

    /// <summary><c>user</c>.</summary>
    public string? UserName { get; init; }

    /// <summary><c>pass</c>.</summary>
    public string? Password { get; init; }

    /// <summary><c>auth_token</c>.</summary>
    public string? Token { get; init; }

    /// <summary>What the client calls itself; nothing vouches for it.</summary>
    public string? ClientName { get; init; }

    /// <summary>The certificate that the client has proved in the TLS handshake; null without.</summary>
    public X509Certificate2? PeerCertificate { get; init; }

    /// <summary>The client's number, and never a secret.</summary>
    public override string ToString() => $"client {ClientId}";
}
