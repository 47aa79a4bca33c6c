namespace Broker.Interop.Tests.Harness;

/// <summary>The folder with the sources of the peers.</summary>
internal static class PeerSources
{
    private static readonly Lazy<string> LazyFolder = new(Find);

    public static string Folder => LazyFolder.Value;

    private static string Find()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            string peers = Path.Combine(folder.FullName, "tests", "Broker.Interop.Tests", "peers");
            if (Directory.Exists(peers))
            {
                return peers;
            }
        }

        throw new DirectoryNotFoundException("the tests do not run inside a working copy, so the peers' sources are not found");
    }
}
