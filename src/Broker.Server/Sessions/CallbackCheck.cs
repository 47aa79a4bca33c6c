namespace Broker.Server;

/// <summary>A login that a callback of the application decides, at once or later on another thread.</summary>
/// <param name="authentication">The authentication of the client, which receives a later decision.</param>
/// <param name="request">The CONNECT of the client.</param>
/// <param name="rules">The rules with the callback.</param>
internal sealed class CallbackCheck(Authentication authentication, ConnectRequest request, SecurityRules rules)
{
    private const string Failed = "the callback failed";

    /// <summary>Calls the callback. Returns null if the callback has not decided yet.</summary>
    internal Verdict? Ask(AuthorizationRequest asked)
    {
        try
        {
            ValueTask<AuthorizationResult> answer = rules.Authorize is { } authorize
                ? new ValueTask<AuthorizationResult>(authorize(asked))
                : rules.AuthorizeAsync!(asked);
            if (answer.IsCompleted)
            {
                return ToVerdict(answer.GetAwaiter().GetResult());
            }

            _ = AwaitAsync(answer);
            return null;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            authentication.LogFailure(e);
            return new Verdict(null, Reason: Failed);
        }
    }

    private async Task AwaitAsync(ValueTask<AuthorizationResult> answer)
    {
        Verdict verdict;
        try
        {
            verdict = ToVerdict(await answer.ConfigureAwait(false));
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            authentication.LogFailure(e);
            verdict = new Verdict(null, Reason: Failed);
        }

        authentication.ReportResult(request, verdict.Principal, verdict.Reason);
    }

    private Verdict ToVerdict(AuthorizationResult? result)
    {
        if (result is not { IsAllowed: true })
        {
            return new Verdict(null, Reason: result?.Reason);
        }

        var principal = new Principal(
            PrincipalKind.Application,
            result.UserName ?? request.Credentials.User,
            result.Permissions?.Rules ?? rules.DefaultAccess)
        {
            Account = result.Account ?? AccountNames.Global,
        };
        return new Verdict(principal, Reason: result.Reason);
    }
}
