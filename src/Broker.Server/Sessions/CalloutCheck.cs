namespace Broker.Server;

/// <summary>
/// A login that an auth callout service decides. The request is signed on another thread than the loop.
/// </summary>
internal sealed class CalloutCheck(Authentication authentication, ConnectRequest request, IAuthCallout callout, CalloutQuestion question) : Verification
{
    internal override bool IsAbandoned => !authentication.IsResultNeeded;

    internal override void Run() => _ = AskAsync();

    private async Task AskAsync()
    {
        Verdict result = default;
        try
        {
            result = await callout.AskAsync(question).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            authentication.LogFailure(e);
        }

        authentication.ReportResult(request, result.Principal, result.Reason);
    }
}
