using System.Globalization;

namespace Broker.Cli.Serving;

/// <summary>The file with the process id. It exists while the broker runs.</summary>
internal sealed class PidFile : IDisposable
{
    private readonly string _path;

    private PidFile(string path) => _path = path;

    /// <exception cref="ServeStartException">The file cannot be written.</exception>
    public static PidFile Write(string path)
    {
        try
        {
            File.WriteAllText(path, Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
            return new PidFile(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the pid file {path}: {e.Message}", e);
        }
    }

    public void Dispose() => FileRemoval.Try(_path);
}
