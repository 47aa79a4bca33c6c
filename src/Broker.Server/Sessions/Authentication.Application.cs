namespace Broker.Server;

// Authentication by a callback of the application.
internal sealed partial class Authentication
{
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
            PeerCertificate = _certificate,
        };
        try
        {
            ValueTask<AuthorizationResult> answer = _security.Authorize is { } authorize
                ? new ValueTask<AuthorizationResult>(authorize(asked))
                : _security.AuthorizeAsync!(asked);
            if (answer.IsCompleted)
            {
                AuthorizationResult? result = answer.GetAwaiter().GetResult();
                return AcceptAs(ToPrincipal(result, request), request, result?.Reason);
            }

            _admission.BeginVerification(_security.Timeout, OnTimeout);
            _ = AwaitCallbackAsync(answer, request);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            LogFailure(e);
            Refuse("the callback failed");
        }

        return false;
    }

    private async Task AwaitCallbackAsync(ValueTask<AuthorizationResult> answer, ConnectRequest request)
    {
        Principal? principal = null;
        string? reason = null;
        try
        {
            AuthorizationResult? result = await answer.ConfigureAwait(false);
            principal = ToPrincipal(result, request);
            reason = result?.Reason;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            LogFailure(e);
        }

        ReportResult(request, principal, reason);
    }

    private Principal? ToPrincipal(AuthorizationResult? result, ConnectRequest request)
        => result is not { IsAllowed: true }
            ? null
            : new Principal(
                PrincipalKind.Application,
                result.UserName ?? request.Credentials.User,
                result.Permissions?.Rules ?? _security.DefaultAccess)
            {
                Account = result.Account ?? AccountNames.Global,
            };
}
