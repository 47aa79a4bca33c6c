namespace Broker.Aspire.Tests;

/// <summary>A file that ends with the test.</summary>
internal sealed class TemporaryFile : IDisposable
{
    internal TemporaryFile(string text)
    {
        Path = System.IO.Path.GetTempFileName();
        File.WriteAllText(Path, text);
    }

    internal string Path { get; }

    public void Dispose() => File.Delete(Path);
}
