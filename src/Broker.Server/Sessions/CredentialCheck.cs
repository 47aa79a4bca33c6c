namespace Broker.Server;

/// <summary>The verification of a password, signature or JWT, which runs on another thread than the loop.</summary>
/// <param name="authentication">The authentication of the client.</param>
/// <param name="request">The CONNECT of the client.</param>
/// <param name="verdict">The check.</param>
/// <param name="isLast">Whether the check has waited already, so its result is final.</param>
internal sealed class CredentialCheck(Authentication authentication, ConnectRequest request, Verdict verdict, bool isLast = false)
    : Verification
{
    internal override bool IsAbandoned => !authentication.IsResultNeeded;

    internal override void Run()
    {
        Verdict result = default;
        try
        {
            result = verdict.Verify!();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            authentication.LogFailure(e);
        }

        if (result.Wait is { } begin && !isLast)
        {
            if (begin(out Task wait))
            {
                // No thread waits: the check is queued again.
                wait.GetAwaiter().UnsafeOnCompleted(RunAgain);
                return;
            }

            result = new Verdict(null, null, Authentication.TooManyLookups);
        }

        if (result.Service is { } service)
        {
            authentication.Ask(service, request);
            return;
        }

        authentication.ReportResult(request, result.Principal, result.Reason);
    }

    private void RunAgain()
    {
        if (!authentication.TryEnqueue(new CredentialCheck(authentication, request, verdict, isLast: true)))
        {
            authentication.ReportResult(request, null, Authentication.TooManyLogins);
        }
    }
}
