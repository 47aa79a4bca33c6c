namespace Broker.Server;

/// <summary>Begins what a check of credentials waits for.</summary>
/// <param name="found">Completes when the check can run once more.</param>
/// <returns>False if too many others wait.</returns>
internal delegate bool BeginWait(out Task found);
