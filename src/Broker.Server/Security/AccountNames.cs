namespace Broker.Server;

/// <summary>The names of the accounts that exist by default.</summary>
internal static class AccountNames
{
    /// <summary>The account of clients that are in no other account.</summary>
    internal const string Global = "$G";

    /// <summary>The account in which the server publishes its own events.</summary>
    internal const string System = "$SYS";
}
