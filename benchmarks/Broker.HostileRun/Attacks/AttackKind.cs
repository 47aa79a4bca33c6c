namespace Broker.HostileRun.Attacks;

/// <summary>One kind of hostile client.</summary>
/// <param name="Name">The name for the option <c>--kinds</c> and the report.</param>
/// <param name="What">What the clients do.</param>
/// <param name="PerSecond">How many strikes begin in a second.</param>
/// <param name="StrikeAsync">
/// One strike: what one client does from its connect to its end. It counts each attack when the broker has it.
/// </param>
internal sealed record AttackKind(string Name, string What, double PerSecond, Func<Attacker, CancellationToken, Task> StrikeAsync);
