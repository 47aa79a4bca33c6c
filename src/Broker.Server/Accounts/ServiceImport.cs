namespace Broker.Server.Accounts;

/// <summary>
/// A service of another account: what is published here to its name goes there too. The responders see a reply subject of the
/// server's making, and a header <c>Nats-Request-Info</c> with the name of the account that asks.
/// </summary>
/// <param name="account">The account that exports it.</param>
/// <param name="subject">The subject or filter there.</param>
public sealed class ServiceImport(string account, string subject) : AccountImport(account, subject);
