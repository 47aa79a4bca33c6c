namespace Broker.Server;

/// <summary>The subjects of events in the system account, as in nats-server.</summary>
internal static class SystemSubjects
{
    internal static string Connect(string account) => $"$SYS.ACCOUNT.{account}.CONNECT";

    internal static string Disconnect(string account) => $"$SYS.ACCOUNT.{account}.DISCONNECT";

    internal static string LeafNodeConnect(string account) => $"$SYS.ACCOUNT.{account}.LEAFNODE.CONNECT";

    internal static string Connections(string account) => $"$SYS.ACCOUNT.{account}.SERVER.CONNS";

    /// <summary>
    /// The older subject of the <see cref="Connections"/> event. The server publishes the event to both subjects.
    /// </summary>
    internal static string LegacyConnections(string account) => $"$SYS.SERVER.ACCOUNT.{account}.CONNS";

    internal static string AuthenticationError(string server) => $"$SYS.SERVER.{server}.CLIENT.AUTH.ERR";

    internal static string Statistics(string server) => $"$SYS.SERVER.{server}.STATSZ";

    internal static string Shutdown(string server) => $"$SYS.SERVER.{server}.SHUTDOWN";
}
