using System.Security.Cryptography.X509Certificates;
using Broker.Protocol;

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
internal sealed class Authentication(
    ClientChannel channel,
    ClientIdentity identity,
    ClientTransport transport,
    string? user,
    X509Certificate2? certificate,
    IAuthenticationOwner owner)
{
    internal const string TooManyLogins = "too many logins wait to be verified";
    internal const string TooManyLookups = "too many accounts are being looked for";

    private const string NotAuthorized = "Authorization Violation";
    private const string AccountFull = "maximum account active connections exceeded";

    private readonly Admission _admission = new(channel);
    private readonly ClientSecurity _security = new(channel, transport, user, certificate);

    // Null until a JWT with an end has authenticated the client.
    private JwtExpiry? _expiry;

    /// <summary>Whether the client is not authenticated yet.</summary>
    internal bool IsPending => _admission.IsPending;

    /// <summary>Whether a CONNECT of the client, the first or a later one, is being verified.</summary>
    internal bool IsVerifying => _admission.IsVerifying;

    /// <summary>
    /// The last accepted CONNECT, without its credentials; null before a CONNECT has been accepted. Thread-safe.
    /// </summary>
    internal ConnectRequest? Request { get; private set; }

    /// <summary>The nonce that a client must sign to authenticate by a key.</summary>
    internal string? Nonce => _security.Nonce;

    /// <summary>Whether the client must send credentials.</summary>
    internal bool MustAuthenticate => _security.Anonymous is null;

    /// <summary>
    /// Whether the connection is still open, so that the result of a verification is needed. Thread-safe.
    /// </summary>
    internal bool IsResultNeeded => channel.Connection.IsOpen;

    /// <summary>
    /// Begins the authentication when the connection is open. With TLS, the time limit begins later, in
    /// <see cref="Continue"/>.
    /// </summary>
    /// <param name="tls">The TLS settings of the connection; null without TLS.</param>
    /// <param name="mapsUsers">Whether the client certificate names the user.</param>
    internal void Begin(ServerTls? tls, bool mapsUsers)
    {
        _security.Begin(mapsUsers);
        if (_security.Anonymous is { } principal
            && channel.Server.Accounts.Find(principal.Account) is { } account
            && identity.TrySetPrincipal(principal, account))
        {
            return;
        }

        _admission.Begin();
        if (tls is null)
        {
            _admission.StartDeadline(_security.Rules.Timeout, OnTimeout);
        }
    }

    /// <summary>
    /// Continues after the TLS handshake, or without TLS. <paramref name="certificate"/> is the verified certificate of
    /// the client; null for none.
    /// </summary>
    internal void Continue(X509Certificate2? certificate)
    {
        _security.Certificate = certificate;
        if (IsPending)
        {
            _admission.StartDeadline(_security.Rules.Timeout, OnTimeout);
        }
    }

    /// <summary>Ends the authentication when the connection is closed.</summary>
    internal void End()
    {
        _admission.End();
        _expiry?.End();
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
    internal bool TryEnqueue(Verification verification) => channel.Server.Verifications.TryEnqueue(channel.RemoteEndPoint, verification);

    /// <summary>Logs an exception of a callback or a verifier. Thread-safe.</summary>
    internal void LogFailure(Exception error)
        => channel.Server.Log.AuthorizeFailed(channel.Id, channel.RemoteEndPoint, error);

    /// <summary>
    /// Lets the service of the client's account decide. Called on a thread-pool thread during a verification.
    /// </summary>
    internal void Ask(IAuthCallout service, ConnectRequest request) => new CalloutCheck(this, request, service, QuestionOf(request)).Run();

    /// <summary>Closes the connection and logs the reason, which the client does not learn.</summary>
    internal void Refuse(string why, ConnectRequest? request = null)
    {
        if (!channel.IsEnded)
        {
            owner.OnRefused(request, "Authentication Failure");
        }

        channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, why);
        channel.Fail(NotAuthorized);
    }

    /// <summary>
    /// Applies the security rules again if they have been replaced. Closes the connection if the new rules refuse the
    /// client. Returns true if the rules have been replaced and the client stays connected.
    /// </summary>
    /// <param name="accountChanged">Whether the account of the client has changed, which no other rule shows.</param>
    internal bool TryApplyRules(bool accountChanged = false)
    {
        SecurityRules before = _security.Rules;
        SecurityRules rules = _security.Renew();
        if (channel.IsEnded || (before == rules && !accountChanged))
        {
            return false;
        }

        // The result of a verification is checked against the present claims of the account, so it need not begin again
        // if only these have changed.
        string refusal = NotAuthorized;
        Principal? now = identity.Principal is not { } principal || (IsVerifying && before != rules)
            ? null
            : rules.Renew(principal, before, out refusal);
        if (now is null || channel.Server.Accounts.Find(now.Account) != identity.Account || (user is null && !_security.MayConnect(now)))
        {
            channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, "the server's users have changed");
            channel.Fail(refusal);
            return false;
        }

        identity.TrySetPrincipal(now, identity.Account);
        WatchExpiry();
        return true;
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

    private bool Authenticate(ConnectRequest request)
    {
        Credentials shown = request.Credentials;
        SecurityRules rules = _security.Rules;
        if (identity.Principal is { } present && ((shown.IsEmpty && (shown.Jwt is null || rules.Tokens is null)) || !rules.RequiresAuth))
        {
            // A CONNECT without credentials keeps the client's present principal.
            return Accept(request, present);
        }

        if (user is not null && shown.IsEmpty)
        {
            return rules.Find(user) is { } named ? Accept(request, named) : AcceptAs(null, request);
        }

        if (rules.UsesCallback)
        {
            return AskApplication(request);
        }

        if (rules.Callout is { } callout && !rules.IsLocal(shown) && !_security.IsMappedUser(shown))
        {
            return AskService(callout, request);
        }

        Verdict verdict = _security.Check(shown);
        if (verdict.Verify is null)
        {
            return AcceptAs(verdict.Principal, request, verdict.Reason);
        }

        Verify(new CredentialCheck(this, request, verdict));
        return false;
    }

    private bool AskApplication(ConnectRequest request)
    {
        var asked = new AuthorizationRequest
        {
            ClientId = channel.Id,
            RemoteEndPoint = channel.RemoteEndPoint,
            UserName = request.Credentials.User,
            Password = request.Credentials.Password,
            Token = request.Credentials.Token,
            ClientName = request.Name,
            PeerCertificate = _security.Certificate,
        };
        if (new CallbackCheck(this, request, _security.Rules).Ask(asked) is { } verdict)
        {
            return AcceptAs(verdict.Principal, request, verdict.Reason);
        }

        _admission.BeginVerification(_security.Rules.Timeout, OnTimeout);
        return false;
    }

    private bool AskService(IAuthCallout callout, ConnectRequest request)
    {
        Verify(new CalloutCheck(this, request, callout, QuestionOf(request)));
        return false;
    }

    private CalloutQuestion QuestionOf(ConnectRequest request)
        => new(channel.Id, request.Credentials, channel.RemoteEndPoint, transport)
        {
            Nonce = Nonce,
            Certificate = _security.Certificate,
            ClientName = request.Name,
            Language = request.Language,
            Version = request.Version,
            ProtocolLevel = request.ProtocolLevel,
            DefaultAccess = _security.Rules.DefaultAccess,
            Timeout = _security.Rules.Timeout,
        };

    private void Verify(Verification verification)
    {
        _admission.BeginVerification(_security.Rules.Timeout, OnTimeout);
        if (!TryEnqueue(verification))
        {
            Refuse(TooManyLogins);
        }
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
        if (principal?.Kind is PrincipalKind.Jwt && _security.Rules.Tokens is { } tokens && !tokens.IsCurrent(principal))
        {
            // The account has changed since the verification began.
            principal = tokens.Renew(principal, out _);
            reason = "its account has changed";
        }

        bool isGood = principal is not null && _security.MayConnect(principal) && _security.IsCurrent;
        if (isGood && !TryRemoveSubscriptions(principal!))
        {
            ReportResult(request, principal);
            return;
        }

        _admission.EndVerification();
        if (!isGood)
        {
            Refuse(reason ?? _security.ExplainRefusal(principal), request);
        }
        else if (Accept(request, principal!))
        {
            // The session now receives the buffered bytes after CONNECT.
            channel.Connection.ResumeReceiving();
        }
    }

    private bool AcceptAs(Principal? principal, ConnectRequest request, string? reason = null)
    {
        if (principal is not null && _security.MayConnect(principal))
        {
            return Accept(request, principal);
        }

        Refuse(reason ?? _security.ExplainRefusal(principal), request);
        return false;
    }

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
        WatchExpiry();
        Request = request.WithoutCredentials();
        owner.OnAuthenticated(request, isFirst);
        return true;
    }

    // A first CONNECT that does not change the principal keeps the subscriptions of the client.
    private bool TryRemoveSubscriptions(Principal principal)
        => (Request is null && principal == identity.Principal) || owner.TryRemoveSubscriptions();

    private void WatchExpiry()
    {
        if (_expiry is not null || JwtExpiry.IsNeeded(identity))
        {
            (_expiry ??= new JwtExpiry(channel, identity)).Restart();
        }
    }

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
}
