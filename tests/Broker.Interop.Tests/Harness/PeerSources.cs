namespace Broker.Interop.Tests.Harness;

/// <summary>The folder with the sources of the peers.</summary>
internal static class PeerSources
{
    public static string Folder { get; } = Path.Combine(Repository.Root, "tests", "Broker.Interop.Tests", "peers");
}
