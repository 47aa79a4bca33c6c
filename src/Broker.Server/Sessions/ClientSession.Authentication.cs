using Broker.Server.Security;

namespace Broker.Server.Sessions;

// Who a client is, by what it shows in CONNECT. What takes long is done elsewhere, and what the client sends then waits.
internal sealed partial class ClientSession
{
    // True when it is in at once and the parser may go on.
    private bool Authenticate(ConnectRequest request)
    {
        Credentials shown = request.Credentials;
        if (_principal is not null && (shown.IsEmpty || !_security.RequiresAuth))
        {
            // A CONNECT that shows nothing is of whom the client already is.
            return Enter(request, _principal);
        }

        if (_user is not null && shown.IsEmpty)
        {
            return EnterAs(_security.Find(_user), request);
        }

        if (_security.Asks)
        {
            return Ask(request);
        }

        if (IsMapped)
        {
            return EnterAs(_security.Identify(PeerCertificate), request);
        }

        Verdict verdict = _security.Check(shown, Nonce);
        if (verdict.Verify is null)
        {
            return EnterAs(verdict.Principal, request);
        }

        if (!_server.Verifications.TryEnqueue(RemoteEndPoint, new CredentialCheck(this, BeginDecision(), request, verdict)))
        {
            Refuse("too many logins wait to be verified");
        }

        return false;
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

    private Admission BeginDecision()
    {
        _admission ??= new Admission(_server.HeldBytes);
        _admission.Deadline ??= _loop.StartTimer(_security.Timeout, OnAdmissionLate);
        _admission.IsDeciding = true;
        return _admission;
    }

    private bool Ask(ConnectRequest request)
    {
        var asked = new AuthorizationRequest
        {
            ClientId = Id,
            RemoteEndPoint = RemoteEndPoint,
            UserName = request.Credentials.User,
            Password = request.Credentials.Password,
            Token = request.Credentials.Token,
            ClientName = request.Name,
            PeerCertificate = PeerCertificate,
        };
        try
        {
            ValueTask<AuthorizationResult> answer = _security.Authorize is { } authorize
                ? new ValueTask<AuthorizationResult>(authorize(asked))
                : _security.AuthorizeAsync!(asked);
            if (answer.IsCompleted)
            {
                return EnterAs(ToPrincipal(answer.GetAwaiter().GetResult(), request), request);
            }

            _ = DecideAsync(answer, BeginDecision(), request);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _server.Log.AuthorizeFailed(Id, RemoteEndPoint, e);
            Refuse("the callback failed");
        }

        return false;
    }

    private async Task DecideAsync(ValueTask<AuthorizationResult> answer, Admission admission, ConnectRequest request)
    {
        Principal? principal = null;
        try
        {
            principal = ToPrincipal(await answer.ConfigureAwait(false), request);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _server.Log.AuthorizeFailed(Id, RemoteEndPoint, e);
        }

        _loop.Post(() => OnDecided(admission, request, principal));
    }

    private Principal? ToPrincipal(AuthorizationResult? result, ConnectRequest request)
    {
        if (result is { IsAllowed: true })
        {
            return new Principal(
                PrincipalKind.Application, result.UserName ?? request.Credentials.User, result.Permissions?.Rules ?? _security.DefaultAccess)
            {
                Account = result.Account ?? AccountNames.Global,
            };
        }

        if (result?.Reason is { } reason)
        {
            _server.Log.NotAuthorized(Id, RemoteEndPoint, reason);
        }

        return null;
    }

    /// <summary>A password or signature to be verified away from the loop.</summary>
    private sealed class CredentialCheck(ClientSession session, Admission admission, ConnectRequest request, Verdict verdict) : Verification
    {
        internal override bool IsAbandoned => !session.Connection.IsOpen;

        internal override void Run()
        {
            bool holds = false;
            try
            {
                holds = verdict.Verify!();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                session._server.Log.AuthorizeFailed(session.Id, session.RemoteEndPoint, e);
            }

            session._loop.Post(() => session.OnDecided(admission, request, holds ? verdict.Principal : null));
        }
    }
}
