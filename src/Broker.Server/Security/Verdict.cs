namespace Broker.Server;

/// <summary>The result of checking a client's credentials.</summary>
/// <param name="Principal">
/// The principal of the client; null if the client is refused or <paramref name="Verify"/> decides.
/// </param>
/// <param name="Verify">
/// A further check that is too slow for a loop. It decides, and its result needs no further check. Null if no further
/// check is needed.
/// </param>
/// <param name="Reason">Why the client is refused, for the log; null for wrong credentials.</param>
/// <param name="Wait">
/// Begins what the check waits for: when its task has completed, the check runs once more. It is not called if the check
/// has waited already. Null if the result is final.
/// </param>
/// <param name="Service">A service that decides about the client; null for none.</param>
internal readonly record struct Verdict(Principal? Principal, Func<Verdict>? Verify = null, string? Reason = null, BeginWait? Wait = null, IAuthCallout? Service = null);
