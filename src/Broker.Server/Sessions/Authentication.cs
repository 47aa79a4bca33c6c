using System.Security.Cryptography.X509Certificates;
using Broker.Protocol;
using Broker.Protocol.Parsing;
using Broker.Server.Security;
using Broker.Server.Tls;

namespace Broker.Server.Sessions;

/// <summary>
/// How a client comes to be somebody: by what it shows in CONNECT, which may come again and then starts afresh, or without. What takes
/// long is done elsewhere, and the client is not read meanwhile. On the connection's loop.
/// </summary>
/// <remarks>
/// Before a client is in, its bytes go by a handler of their own that knows nothing but CONNECT: so nothing it may not do can be
/// forgotten elsewhere, and the fast path has no branch for it.
/// </remarks>
/// <param name="channel">The way to the client.</param>
/// <param name="identity">What it becomes.</param>
/// <param name="user">As whom this process connects it, without credentials; null for nobody in particular.</param>
/// <param name="certificate">What it has proved to be its own before; null for none.</param>
/// <param name="owner">Who is told.</param>
internal sealed partial class Authentication(
    ClientChannel channel, ClientIdentity identity, string? user, X509Certificate2? certificate, IAuthenticationOwner owner)
{
    private const string NotAuthorized = "Authorization Violation";

    private readonly Admission _admission = new(channel);
    private SecurityRules _security = channel.Server.Security;
    private X509Certificate2? _certificate = certificate;
    private bool _mapsUsers;

    /// <summary>Whether the client is not in yet.</summary>
    internal bool IsPending => _admission.IsPending;

    /// <summary>Whether its CONNECT, the first or a later one, is being decided on.</summary>
    internal bool IsDeciding => _admission.IsDeciding;

    /// <summary>What it said of itself when it was let in last, without what it showed; null before. Any thread.</summary>
    internal ConnectRequest? Request { get; private set; }

    /// <summary>What it must sign to come in by a key.</summary>
    internal string? Nonce { get; private set; }

    /// <summary>Whether it has to show something.</summary>
    internal bool MustAuthenticate => Unasked is null;

    /// <summary>Whether the client is still there to be decided on. Any thread.</summary>
    internal bool IsWanted => channel.Connection.IsOpen;

    // Who it is before and without CONNECT. Where certificates say who clients are, nothing else does.
    private Principal? Unasked => IsMapped ? null : user is null ? _security.Unasked : _security.Find(user);

    // Also one that stays in clear where it may: it has no certificate and is nobody.
    private bool IsMapped => _mapsUsers && _security.HasUsers;

    /// <summary>The connection is open. With TLS its time begins later, at <see cref="Continue"/>.</summary>
    /// <param name="tls">What comes first; null for nothing.</param>
    /// <param name="mapsUsers">Whether its certificate says who it is, and nothing else does.</param>
    internal void Begin(ServerTls? tls, bool mapsUsers)
    {
        _mapsUsers = mapsUsers;
        _security = channel.Server.Security;
        Nonce = _security.NewNonce();
        if (Unasked is { } principal && channel.Server.Accounts.Find(principal.Account) is { } account)
        {
            identity.Become(principal, account);
            return;
        }

        _admission.Begin();
        if (tls is null)
        {
            _admission.StartDeadline(_security.Timeout, OnLate);
        }
    }

    /// <summary>TLS is there, with the client's certificate if it has proved one, or it goes on without.</summary>
    internal void Continue(X509Certificate2? certificate)
    {
        _certificate = certificate;
        if (IsPending)
        {
            _admission.StartDeadline(_security.Timeout, OnLate);
        }
    }

    /// <summary>The client is gone.</summary>
    internal void End() => _admission.End();

    /// <summary>Handles what comes before the client is in. Afterwards it may be, and the rest is the session's.</summary>
    internal int Receive(ref ClientOperationParser parser, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (!bytes.IsEmpty && (bytes[0] | 0x20) != 'c')
        {
            // By its first byte, as nats-server does it: a payload is not even collected.
            Refuse("an operation before CONNECT");
            return bytes.Length;
        }

        var handler = new OperationsBeforeAdmission(this);
        int consumed = parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        if (error != ProtocolError.None && !channel.IsEnded)
        {
            channel.FailProtocol(error);
        }

        if (IsDeciding)
        {
            CountKept(bytes.Length - consumed);
        }

        return consumed;
    }

    /// <summary>While it is decided: counts what the connection keeps, which is at most what one read has brought.</summary>
    internal void CountKept(int bytes)
    {
        if (!channel.IsEnded && !_admission.TryKeep(bytes))
        {
            Refuse("too much waits for such decisions");
        }
    }

    /// <summary>CONNECT. True when it is in at once and the parser may go on.</summary>
    internal bool Connect(ReadOnlySpan<byte> json)
    {
        channel.Trace?.Connect(json);
        if (ConnectRequest.TryParse(json, Request, out string? problem) is not { } request)
        {
            channel.FailProtocol("Parser Error", problem);
            return false;
        }

        return Authenticate(request);
    }

    /// <summary>It is decided: who the client is, or null for nobody. Any thread.</summary>
    internal void Decide(ConnectRequest request, Principal? principal) => channel.Loop.Post(() => OnDecided(request, principal));

    /// <summary>What was to decide has thrown. Any thread.</summary>
    internal void LogFailure(Exception error) => channel.Server.Log.AuthorizeFailed(channel.Id, channel.RemoteEndPoint, error);

    /// <summary>
    /// The rules may have been replaced: it goes by the new ones, or is closed. True when they have been and it stays.
    /// </summary>
    internal bool TryRenew()
    {
        SecurityRules before = _security;
        _security = channel.Server.Security;
        if (channel.IsEnded || before == _security)
        {
            return false;
        }

        string refusal = NotAuthorized;
        Principal? now = identity.Principal is not { } principal || IsDeciding ? null : _security.Renew(principal, before, out refusal);
        if (now is null || channel.Server.Accounts.Find(now.Account) != identity.Account)
        {
            channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, "the server's users have changed");
            channel.Fail(refusal);
            return false;
        }

        identity.Become(now, identity.Account);
        return true;
    }

    private bool Authenticate(ConnectRequest request)
    {
        Credentials shown = request.Credentials;
        if (identity.Principal is { } present && (shown.IsEmpty || !_security.RequiresAuth))
        {
            // A CONNECT that shows nothing is of whom the client already is.
            return Enter(request, present);
        }

        if (user is not null && shown.IsEmpty)
        {
            return EnterAs(_security.Find(user), request);
        }

        if (_security.Asks)
        {
            return Ask(request);
        }

        if (IsMapped)
        {
            return EnterAs(_security.Identify(_certificate), request);
        }

        Verdict verdict = _security.Check(shown, Nonce);
        if (verdict.Verify is null)
        {
            return EnterAs(verdict.Principal, request);
        }

        _admission.BeginDecision(_security.Timeout, OnLate);
        if (!channel.Server.Verifications.TryEnqueue(channel.RemoteEndPoint, new CredentialCheck(this, request, verdict)))
        {
            Refuse("too many logins wait to be verified");
        }

        return false;
    }

    // One at a time: whoever waits for one is not read, and can ask for no other.
    private void OnDecided(ConnectRequest request, Principal? principal)
    {
        if (!IsDeciding || channel.IsEnded)
        {
            return;
        }

        channel.Publisher.Begin();
        bool isGood = principal is not null && _security == channel.Server.Security;
        if (isGood && !TryBecome(principal!))
        {
            Decide(request, principal);
            return;
        }

        _admission.EndDecision();
        if (!isGood)
        {
            Refuse("wrong credentials", request);
        }
        else if (Enter(request, principal!))
        {
            // What it sent behind CONNECT comes again.
            channel.Connection.ResumeReceiving();
        }
    }

    private bool EnterAs(Principal? principal, ConnectRequest request)
    {
        if (principal is not null)
        {
            return Enter(request, principal);
        }

        Refuse("wrong credentials", request);
        return false;
    }

    // Takes it in, or takes it in anew. False when it is closed for something else, or comes in later.
    private bool Enter(ConnectRequest request, Principal principal)
    {
        if (!request.IsKnownProtocol)
        {
            channel.FailProtocol("invalid client protocol");
            return false;
        }

        if (request.NoResponders && !request.Headers)
        {
            channel.FailProtocol("no responders requires headers support");
            return false;
        }

        if (channel.Server.Accounts.Find(principal.Account) is not { } account)
        {
            Refuse("its account is not there any more");
            return false;
        }

        bool isFirst = Request is null;
        if (!TryBecome(principal))
        {
            // The rest in turns of their own: until then it is as one that is being decided on.
            _admission.Hold();
            Decide(request, principal);
            return false;
        }

        identity.Become(principal, account);
        _admission.End();
        Request = request.WithoutCredentials();
        owner.OnAuthenticated(request, isFirst);
        return true;
    }

    // A first CONNECT of whom the client already is changes nothing of what it subscribed to.
    private bool TryBecome(Principal principal) => (Request is null && principal == identity.Principal) || owner.TryBecome();

    private void OnLate()
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
