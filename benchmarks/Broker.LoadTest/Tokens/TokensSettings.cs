namespace Broker.LoadTest.Tokens;

/// <summary>The settings of a run with JWTs.</summary>
/// <param name="Accounts">The number of accounts.</param>
/// <param name="Clients">The number of clients that are connected during the updates.</param>
/// <param name="Rate">The number of account updates per second.</param>
/// <param name="Duration">How long accounts are updated.</param>
internal sealed record TokensSettings(int Accounts, int Clients, int Rate, TimeSpan Duration);
