namespace Broker.Server;

/// <summary>The verification of a password or signature, which runs on another thread than the loop.</summary>
internal sealed class CredentialCheck(Authentication authentication, ConnectRequest request, Verdict verdict)
    : Verification
{
    internal override bool IsAbandoned => !authentication.IsResultNeeded;

    internal override void Run()
    {
        bool holds = false;
        try
        {
            holds = verdict.Verify!();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            authentication.LogFailure(e);
        }

        authentication.ReportResult(request, holds ? verdict.Principal : null);
    }
}
