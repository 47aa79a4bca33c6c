namespace Broker.Server;

/// <summary>A client of an account that can change without the others.</summary>
internal interface IAccountMember
{
    /// <summary>The number of the client, which is higher for a later one.</summary>
    ulong Id { get; }

    /// <summary>Applies changed claims, limits and imports of the account. Called on the client's loop.</summary>
    void OnAccountChanged();

    /// <summary>
    /// Closes the client, because its account has more clients than its maximum. Called on the client's loop.
    /// </summary>
    void OnAccountFull();
}
