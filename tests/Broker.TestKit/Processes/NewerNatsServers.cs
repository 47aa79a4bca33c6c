namespace Broker.TestKit.Processes;

/// <summary>
/// The nats-servers of newer Debian releases. eng/nats-servers.sh puts them into artifacts/nats-servers, as
/// RELEASE/nats-server; the environment variable BROKER_NATS_SERVERS names another folder.
/// </summary>
public static class NewerNatsServers
{
    /// <summary>The release with nats-server 2.10.</summary>
    public const string Trixie = "trixie";

    /// <summary>The release with the newest nats-server.</summary>
    public const string Sid = "sid";

    /// <summary>
    /// Finds the full path of a release's nats-server. If there is none, the test is skipped, and fails in CI.
    /// </summary>
    public static string Require(string release)
    {
        string folder = Environment.GetEnvironmentVariable("BROKER_NATS_SERVERS") is { Length: > 0 } named
            ? named
            : Path.Combine(Repository.Root, "artifacts", "nats-servers");
        string program = Path.Combine(folder, release, "nats-server");
        Missing.Unless(File.Exists(program), $"the nats-server of Debian {release}, {program},");
        return program;
    }

    /// <summary>Returns the version of a nats-server, such as 2.15.1.</summary>
    public static async Task<string> VersionAsync(string program)
        => (await Programs.RunAsync(program, "", "--version")).Text.Split(':', 2)[^1].Trim().TrimStart('v');
}
