namespace Broker.Server;

/// <summary>The verification of a password, signature or JWT, which runs on another thread than the loop.</summary>
internal sealed class CredentialCheck(Authentication authentication, ConnectRequest request, Verdict verdict)
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

        authentication.ReportResult(request, result.Principal, result.Reason);
    }
}
