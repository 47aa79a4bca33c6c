using System.Net;

namespace Broker.Server;

/// <summary>Authenticates users by their JWTs. Thread-safe.</summary>
internal interface IUserTokens
{
    /// <summary>
    /// Checks the JWT and the signature of a client. Called on a thread-pool thread, because signatures are slow to
    /// verify.
    /// </summary>
    /// <param name="credentials">The credentials in the CONNECT.</param>
    /// <param name="nonce">The nonce in INFO.</param>
    /// <param name="from">The address of the client; null for an in-process client.</param>
    /// <param name="transport">The transport of the client.</param>
    Verdict Check(Credentials credentials, string? nonce, EndPoint? from, ClientTransport transport);

    /// <summary>Whether the rights of a user follow from the present claims of its account.</summary>
    bool IsCurrent(Principal principal);

    /// <summary>
    /// Finds the new principal of a user that other rules have authenticated. Returns null and the error text for the
    /// client if the user must not stay connected.
    /// </summary>
    Principal? Renew(Principal before, out string refusal);
}
