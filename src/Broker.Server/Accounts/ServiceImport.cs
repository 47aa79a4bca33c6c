namespace Broker.Server;

/// <summary>
/// Imports a service of another account: messages that are published to the import's subject in this account are also
/// delivered in the other account. The responders receive a reply subject that the server has created, and a header
/// <c>Nats-Request-Info</c> with the name of the requester's account.
/// </summary>
/// <param name="account">The name of the exporting account.</param>
/// <param name="subject">The subject or filter in the exporting account.</param>
public sealed class ServiceImport(string account, string subject) : AccountImport(account, subject)
{
    /// <summary>
    /// Whether the header <c>Nats-Request-Info</c> also contains the client: its id, its address, its user, the name
    /// and library of its CONNECT, and when it connected. Default false: it contains the account and the round-trip
    /// time.
    /// </summary>
    public bool Share { get; init; }
}
