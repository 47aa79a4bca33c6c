namespace Broker.Hosting.Tests;

/// <summary>A temporary folder for one test, deleted at its end.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("hosting-");

    public string Path => _folder.FullName;

    public void Dispose() => _folder.Delete(recursive: true);
}
