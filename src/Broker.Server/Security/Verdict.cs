namespace Broker.Server;

/// <summary>The result of checking a client's credentials.</summary>
/// <param name="Principal">
/// The principal of the client; null if the client is refused, whatever <paramref name="Verify"/> returns.
/// </param>
/// <param name="Verify">
/// A further check that must return true and is too slow for a loop; null if no further check is needed.
/// </param>
internal readonly record struct Verdict(Principal? Principal, Func<bool>? Verify = null);
