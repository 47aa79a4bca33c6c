namespace Broker.Server;

/// <summary>Finds accounts that are not in use yet. Thread-safe.</summary>
internal interface IAccountLoader
{
    /// <summary>
    /// Begins to look for an account. When the task completes, logins see the account if it exists. Clients of one account
    /// wait for one task. Returns false if too many accounts are being looked for.
    /// </summary>
    bool TryBegin(string account, out Task found);
}
