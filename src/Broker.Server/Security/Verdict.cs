namespace Broker.Server.Security;

/// <summary>What the rules say of a client's credentials.</summary>
/// <param name="Principal">As whom it comes in; null when it does not, whatever <paramref name="Verify"/> says.</param>
/// <param name="Verify">What must still be true, and takes too long for a loop; null when all is decided.</param>
internal readonly record struct Verdict(Principal? Principal, Func<bool>? Verify = null);
