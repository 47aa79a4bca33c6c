using System.Security.Cryptography.X509Certificates;

namespace Broker.Server;

/// <summary>
/// Applies the security rules of the server to one client: to its transport, its certificate, its nonce, and the user
/// that the application has named for it. Used on the connection's loop.
/// </summary>
/// <param name="channel">The channel to the client.</param>
/// <param name="transport">The transport of the client.</param>
/// <param name="user">The user of an in-process client that sends no credentials; null for none.</param>
/// <param name="certificate">The client certificate that another transport has verified; null for none.</param>
internal sealed class ClientSecurity(ClientChannel channel, ClientTransport transport, string? user, X509Certificate2? certificate)
{
    // Whether the client certificate names the user.
    private bool _mapsUsers;

    /// <summary>
    /// The rules that the client was last checked against. A reload replaces those of the server first, and these by
    /// <see cref="Renew"/>.
    /// </summary>
    internal SecurityRules Rules { get; private set; } = channel.Server.Security;

    /// <summary>Whether no reload has replaced the rules of the server since the client was last checked.</summary>
    internal bool IsCurrent => Rules == channel.Server.Security;

    /// <summary>The verified certificate of the client; null for none.</summary>
    internal X509Certificate2? Certificate { get; set; } = certificate;

    /// <summary>The nonce that a client must sign to authenticate by a key.</summary>
    internal string? Nonce { get; private set; }

    /// <summary>
    /// The principal of a client without credentials; null if it must send some. If certificates name the users, there
    /// is none.
    /// </summary>
    internal Principal? Anonymous
        => IsMapped ? null
            : user is not null ? Rules.Find(user)
            : Rules.Anonymous is { } anonymous && MayConnect(anonymous) ? anonymous
            : null;

    // Also true for a client that does not use optional TLS: such a client has no certificate and therefore no user.
    private bool IsMapped => _mapsUsers && Rules.HasUsers;

    /// <summary>Takes the rules of the server and a new nonce when the connection is open.</summary>
    /// <param name="mapsUsers">Whether the client certificate names the user.</param>
    internal void Begin(bool mapsUsers)
    {
        _mapsUsers = mapsUsers;
        Nonce = Renew().NewNonce();
    }

    /// <summary>Takes the present rules of the server, and returns them.</summary>
    internal SecurityRules Renew() => Rules = channel.Server.Security;

    /// <summary>
    /// Returns false if the user may not use the transport of the client. Do not call it for an in-process client that
    /// the application has connected as a user.
    /// </summary>
    internal bool MayConnect(Principal principal)
        => principal.User?.AllowedTransports is not { } allowed || allowed.Contains(transport);

    /// <summary>Whether the certificate of the client names a configured user, which the client then is.</summary>
    internal bool IsMappedUser(Credentials shown)
        => IsMapped && Rules.CheckMapped(Certificate, shown) is not { Principal: null, Verify: null };

    /// <summary>
    /// Checks credentials against users, keys or JWTs, or against the user that the certificate names.
    /// </summary>
    internal Verdict Check(Credentials shown)
    {
        if (Rules.Tokens is { } tokens)
        {
            return new Verdict(null, () => tokens.Check(shown, Nonce, channel.RemoteEndPoint, transport));
        }

        if (!IsMapped)
        {
            return Rules.Check(shown, Nonce);
        }

        Verdict verdict = Rules.CheckMapped(Certificate, shown);
        return verdict is { Principal: null, Verify: null } ? verdict with { Reason = Rules.ExplainMapped(Certificate) } : verdict;
    }

    /// <summary>
    /// The reason for the log why a client is refused: it has no principal, or may not use its transport.
    /// </summary>
    internal string ExplainRefusal(Principal? principal)
        => principal is null || MayConnect(principal)
            ? "wrong credentials"
            : $"user {principal.Name} may not connect by this transport: {transport}";
}
