namespace Broker.Leaf.Tests.Support;

/// <summary>
/// The versions of nats-server that the tests join: the installed one, and those of newer Debian releases.
/// </summary>
internal static class HubVersion
{
    internal const string Installed = "installed";

    internal static TheoryData<string> All => [Installed, NewerNatsServers.Trixie, NewerNatsServers.Sid];

    /// <summary>
    /// Returns the program, or null for the installed one. If it is missing, the test is skipped, and fails in CI.
    /// </summary>
    internal static string? Find(string version) => version == Installed ? null : NewerNatsServers.Require(version);
}
