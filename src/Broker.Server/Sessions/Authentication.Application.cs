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
                return AcceptAs(ToPrincipal(answer.GetAwaiter().GetResult(), request), request);
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
        try
        {
            principal = ToPrincipal(await answer.ConfigureAwait(false), request);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            LogFailure(e);
        }

        ReportResult(request, principal);
    }

    private Principal? ToPrincipal(AuthorizationResult? result, ConnectRequest request)
    {
        if (result is { IsAllowed: true })
        {
            return new Principal(
                PrincipalKind.Application,
                result.UserName ?? request.Credentials.User,
                result.Permissions?.Rules ?? _security.DefaultAccess)
            {
                Account = result.Account ?? AccountNames.Global,
            };
        }

        if (result?.Reason is { } reason)
        {
            channel.Server.Log.NotAuthorized(channel.Id, channel.RemoteEndPoint, reason);
        }

        return null;
    }
}
