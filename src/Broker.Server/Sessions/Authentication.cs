using System.Security.Cryptography.X509Certificates;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Authenticates a client by the credentials in its CONNECT, or without credentials if the rules allow this. A client
/// may send CONNECT again and is then authenticated again. Slow verifications run on other threads, and the server does
/// not read from the client meanwhile. Runs on the connection's loop.
/// </summary>
/// <remarks>
/// Until a client is authenticated, its bytes go to a separate parser handler that only accepts CONNECT. So no other
/// code needs to check whether the client is authenticated, and the fast path has no branch for it.
/// </remarks>
/// <param name="channel">The channel to the client.</param>
/// <param name="identity">The identity that an accepted CONNECT changes.</param>
/// <param name="transport">The transport of the client.</param>
/// <param name="user">The user of an in-process client that sends no credentials; null for none.</param>
/// <param name="certificate">The client certificate that another transport has verified; null for none.</param>
/// <param name="owner">The receiver of the results.</param>
internal sealed partial class Authentication(
    ClientChannel channel,
    ClientIdentity identity,
    ClientTransport transport,
    string? user,
    X509Certificate2? certificate,
    IAuthenticationOwner owner)
{
    internal const string TooManyLogins = "too many logins wait to be verified";

    private const string NotAuthorized = "Authorization Violation";
    private const string AccountFull = "maximum account active connections exceeded";

    private readonly Admission _admission = new(channel);
    private SecurityRules _security = channel.Server.Security;
    private X509Certificate2? _certificate = certificate;
    private bool _mapsUsers;

    // Closes the connection when the JWT of the client expires; null if it does not.
    private LoopTimer? _end;

    /// <summary>Whether the client is not authenticated yet.</summary>
    internal bool IsPending => _admission.IsPending;

    /// <summary>Whether a CONNECT of the client, the first or a later one, is being verified.</summary>
    internal bool IsVerifying => _admission.IsVerifying;

    /// <summary>
    /// The last accepted CONNECT, without its credentials; null before a CONNECT has been accepted. Thread-safe.
    /// </summary>
    internal ConnectRequest? Request { get; private set; }

    /// <summary>The nonce that a client must sign to authenticate by a key.</summary>
    internal string? Nonce { get; private set; }

    /// <summary>Whether the client must send credentials.</summary>
    internal bool MustAuthenticate => Anonymous is null;

    /// <summary>
    /// Whether the connection is still open, so that the result of a verification is needed. Thread-safe.
    /// </summary>
    internal bool IsResultNeeded => channel.Connection.IsOpen;

    // The principal of a client without credentials. If certificates name the users, there is none.
    private Principal? Anonymous
        => IsMapped ? null
            : user is not null ? _security.Find(user)
            : _security.Anonymous is { } anonymous && MayConnect(anonymous) ? anonymous
            : null;

    // Also true for a client that does not use optional TLS: such a client has no certificate and therefore no user.
    private bool IsMapped => _mapsUsers && _security.HasUsers;

    /// <summary>
    /// Begins the authentication when the connection is open. With TLS, the time limit begins later, in
    /// <see cref="Continue"/>.
    /// </summary>
    /// <param name="tls">The TLS settings of the connection; null without TLS.</param>
    /// <param name="mapsUsers">Whether the client certificate names the user.</param>
    internal void Begin(ServerTls? tls, bool mapsUsers)
    {
        _mapsUsers = mapsUsers;
        _security = channel.Server.Security;
        Nonce = _security.NewNonce();
        if (Anonymous is { } principal
            && channel.Server.Accounts.Find(principal.Account) is { } account
            && identity.TrySetPrincipal(principal, account))
        {
            return;
        }

        _admission.Begin();
        if (tls is null)
        {
            _admission.StartDeadline(_security.Timeout, OnTimeout);
        }
    }

    /// <summary>
    /// Continues after the TLS handshake, or without TLS. <paramref name="certificate"/> is the verified certificate of
    /// the client; null for none.
    /// </summary>
    internal void Continue(X509Certificate2? certificate)
    {
        _certificate = certificate;
        if (IsPending)
        {
            _admission.StartDeadline(_security.Timeout, OnTimeout);
        }
    }

    /// <summary>Ends the authentication when the connection is closed.</summary>
    internal void End()
    {
        _admission.End();
        _end?.Cancel();
    }

    /// <summary>
    /// Parses bytes of a client that is not authenticated yet, and returns the number of parsed bytes. If a CONNECT in
    /// these bytes authenticates the client, the session parses the remaining bytes.
    /// </summary>
    internal int Receive(ref ClientOperationParser parser, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (!bytes.IsEmpty && (bytes[0] | 0x20) != 'c')
        {
            // As in nats-server, the first byte is sufficient to refuse the client. So the payload of a PUB is not even
            // buffered.
            Refuse("an operation before CONNECT");
            return bytes.Length;
        }

        var handler = new OperationsBeforeAdmission(this);
        int consumed = parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        if (error != ProtocolError.None && !channel.IsEnded)
        {
            channel.FailProtocol(error);
        }

        if (IsVerifying)
        {
            CountBufferedBytes(bytes.Length - consumed);
        }

        return consumed;
    }

    /// <summary>
    /// Counts the bytes that the connection buffers during a verification: at most the bytes of one read.
    /// </summary>
    internal void CountBufferedBytes(int bytes)
    {
        if (!channel.IsEnded && !_admission.TryCountBytes(bytes))
        {
            Refuse("too many bytes are buffered for clients that are being authenticated");
        }
    }

    /// <summary>
    /// Handles a CONNECT. Returns true if the client is authenticated at once and the parser may continue.
    /// </summary>
    internal bool Connect(ReadOnlySpan<byte> json)
    {
        channel.Trace?.Connect(json);
        if (ConnectRequest.Parse(json, Request, out string? problem) is not { } request)
        {
            channel.FailProtocol("Parser Error", problem);
            return false;
        }

        return Authenticate(request);
    }

    /// <summary>
    /// Reports the result of a verification: the principal, or null to refuse the client, with the reason for the log.
    /// Thread-safe.
    /// </summary>
    internal void ReportResult(ConnectRequest request, Principal? principal, string? reason = null)
        => channel.Loop.Post(() => OnResult(request, principal, reason));

    /// <summary>Queues a verification. Returns false if too many wait. Thread-safe.</summary>
    internal bool TryEnqueue(CredentialCheck check) => channel.Server.Verifications.TryEnqueue(channel.RemoteEndPoint, check);

    /// <summary>Logs an exception of a callback or a verifier. Thread-safe.</summary>
    internal void LogFailure(Exception error)
        => channel.Server.Log.AuthorizeFailed(channel.Id, channel.RemoteEndPoint, error);

    /// <summary>
    /// Applies the security rules again if they have been replaced. Closes the connection if the new rules refuse the
    /// client. Returns true if the rules have been replaced and the client stays connected.
    /// </summary>
    /// <param name="accountChanged">Whether the account of the client has changed, which no other rule shows.</param>
    internal bool TryApplyRules(bool accountChanged = false)
    {
        SecurityRules before = _security;
        _security = channel.Server.Security;
        if (channel.IsEnded || (before == _security && !accountChanged))
        {
            return false;
        }

        // The result of a verification is checked against the present claims of the account, so it need not begin again
        // if only these have changed.
        string refusal = NotAuthorized;
        Principal? now = identity.Principal is not { } principal || (IsVerifying && before != _security)
            ? null
            : _security.Renew(principal, before, out refusal);
        if (now is null || channel.Server.Accounts.Find(now.Account) != identity.Account || (user is null && !MayConnect(now)))
        {
            channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, "the server's users have changed");
            channel.Fail(refusal);
            return false;
        }

        identity.TrySetPrincipal(now, identity.Account);
        StartEnd();
        return accountChanged || !LeaveFullAccount();
    }

    /// <summary>Closes the connection if its account has more clients than its maximum. Returns true then.</summary>
    internal bool LeaveFullAccount()
    {
        if (channel.IsEnded || !identity.TryLeaveFullAccount())
        {
            return false;
        }

        channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, AccountFull);
        channel.Fail(AccountFull);
        return true;
    }

    // An in-process client that the application has connected as a user is not checked.
    private bool MayConnect(Principal principal)
        => principal.User?.AllowedTransports is not { } allowed || allowed.Contains(transport);

    // A client whose certificate names a configured user is this user.
    private bool IsMappedUser(Credentials shown)
        => IsMapped && _security.CheckMapped(_certificate, shown) is not { Principal: null, Verify: null };

    private bool Authenticate(ConnectRequest request)
    {
        Credentials shown = request.Credentials;
        if (identity.Principal is { } present && ((shown.IsEmpty && (shown.Jwt is null || _security.Tokens is null)) || !_security.RequiresAuth))
        {
            // A CONNECT without credentials keeps the client's present principal.
            return Accept(request, present);
        }

        if (user is not null && shown.IsEmpty)
        {
            return _security.Find(user) is { } named ? Accept(request, named) : AcceptAs(null, request);
        }

        if (_security.UsesCallback)
        {
            return AskApplication(request);
        }

        if (_security.Callout is { } callout && !_security.IsLocal(shown) && !IsMappedUser(shown))
        {
            return AskService(callout, request);
        }

        Verdict verdict = _security.Tokens is { } tokens ? CheckToken(tokens, shown)
            : IsMapped ? _security.CheckMapped(_certificate, shown) : _security.Check(shown, Nonce);
        if (verdict is { Principal: null, Verify: null } && IsMapped)
        {
            Refuse(_security.ExplainMapped(_certificate), request);
            return false;
        }

        if (verdict.Verify is null)
        {
            return AcceptAs(verdict.Principal, request);
        }

        _admission.BeginVerification(_security.Timeout, OnTimeout);
        var check = new CredentialCheck(this, request, verdict);
        if (!TryEnqueue(check))
        {
            Refuse(TooManyLogins);
        }

        return false;
    }

    // There is one verification at a time: the server does not read from the client during a verification, so no other
    // CONNECT can arrive.
    private void OnResult(ConnectRequest request, Principal? principal, string? reason)
    {
        if (!IsVerifying || channel.IsEnded)
        {
            return;
        }

        channel.Publisher.Begin();
        if (principal?.Kind is PrincipalKind.Jwt && _security.Tokens?.IsCurrent(principal) == false)
        {
            // The account has changed since the verification began.
            principal = _security.Tokens.Renew(principal, out _);
            reason = "its account has changed";
        }

        bool isGood = principal is not null && MayConnect(principal) && _security == channel.Server.Security;
        if (isGood && !TryRemoveSubscriptions(principal!))
        {
            ReportResult(request, principal);
            return;
        }

        _admission.EndVerification();
        if (!isGood)
        {
            Refuse(reason ?? WhyNot(principal), request);
        }
        else if (Accept(request, principal!))
        {
            // The session now receives the buffered bytes after CONNECT.
            channel.Connection.ResumeReceiving();
        }
    }

    private bool AcceptAs(Principal? principal, ConnectRequest request, string? reason = null)
    {
        if (principal is not null && MayConnect(principal))
        {
            return Accept(request, principal);
        }

        Refuse(reason ?? WhyNot(principal), request);
        return false;
    }

    private string WhyNot(Principal? principal)
        => principal is null || MayConnect(principal)
            ? "wrong credentials"
            : $"user {principal.Name} may not connect by this transport: {transport}";

    // Accepts a first or repeated CONNECT. Returns false if the connection is closed for another reason, or if the
    // CONNECT is accepted in a later iteration.
    private bool Accept(ConnectRequest request, Principal principal)
    {
        if (!request.IsKnownProtocol)
        {
            channel.FailProtocol("invalid client protocol");
            return false;
        }

        if (request.NoResponders && !request.Headers)
        {
            // The text of nats-server. The status that no_responders asks for is a header.
            channel.FailProtocol("no responders requires headers support");
            return false;
        }

        if (channel.Server.Accounts.Find(principal.Account) is not { } account)
        {
            Refuse("its account does not exist");
            return false;
        }

        bool isFirst = Request is null;
        if (!TryRemoveSubscriptions(principal))
        {
            // The client's subscriptions are removed in several iterations. Until then, the CONNECT counts as being
            // verified.
            _admission.Pause();
            ReportResult(request, principal);
            return false;
        }

        if (!identity.TrySetPrincipal(principal, account))
        {
            channel.Server.Log.Refused(channel.Id, channel.RemoteEndPoint, AccountFull);
            channel.Fail(AccountFull);
            return false;
        }

        _admission.End();
        StartEnd();
        Request = request.WithoutCredentials();
        owner.OnAuthenticated(request, isFirst);
        return true;
    }

    // A first CONNECT that does not change the principal keeps the subscriptions of the client.
    private bool TryRemoveSubscriptions(Principal principal)
        => (Request is null && principal == identity.Principal) || owner.TryRemoveSubscriptions();

    private void OnTimeout()
    {
        const string Late = "Authentication Timeout";
        if (channel.IsEnded)
        {
            return;
        }

        channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, Late);
        owner.OnRefused(null, Late);
        channel.Fail(Late);
    }

    private void Refuse(string why, ConnectRequest? request = null)
    {
        if (!channel.IsEnded)
        {
            owner.OnRefused(request, "Authentication Failure");
        }

        channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, why);
        channel.Fail(NotAuthorized);
    }
}
