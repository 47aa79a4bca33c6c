namespace Broker.Cli.Serving;

/// <summary>Removes a file, and ignores errors. A file that remains must not make a stop fail.</summary>
internal static class FileRemoval
{
    public static void Try(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }
}
