namespace Broker.Server;

/// <summary>Finds accounts that are not in use yet. Thread-safe.</summary>
internal interface IAccountLoader
{
    /// <summary>
    /// Begins to look for an account. When the task completes, logins see the account if it exists. Clients of one account
    /// wait for one task. Returns null if too many accounts are being looked for.
    /// </summary>
    Task? Begin(string account);
}
