namespace Broker.Cli.Serving;

/// <summary>Removes a file that others may have removed before: leaving it behind is no reason to fail a stop.</summary>
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
