namespace Broker.Leaf.Tests.Support;

/// <summary>
/// The versions of nats-server that the tests join. Debian's 2.9.10 is required. Newer ones are found in the folder of
/// the environment variable BROKER_NATS_SERVERS, as VERSION/nats-server, and their tests are skipped without them.
/// </summary>
internal static class HubVersion
{
    internal const string Installed = "installed";
    private const string Folder = "BROKER_NATS_SERVERS";

    internal static TheoryData<string> All => [Installed, "2.10.27", "2.15.1"];

    /// <summary>Returns the program, or skips the test.</summary>
    internal static string? Find(string version)
    {
        if (version == Installed)
        {
            return null;
        }

        string file = Path.Combine(Environment.GetEnvironmentVariable(Folder) ?? "", version, "nats-server");
        Assert.SkipUnless(File.Exists(file), $"nats-server {version} is not installed: {Folder} names no folder with {version}/nats-server");
        return file;
    }
}
