namespace Broker.Server;

/// <summary>The accounts that are there unless the options say otherwise.</summary>
internal static class AccountNames
{
    /// <summary>The account of those who are in no other.</summary>
    internal const string Global = "$G";

    /// <summary>The account of the server's own events.</summary>
    internal const string System = "$SYS";
}
