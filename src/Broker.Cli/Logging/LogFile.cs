using System.Text;
using Broker.Cli.Serving;

namespace Broker.Cli.Logging;

/// <summary>A file that lines are appended to, and that can be opened anew after it was moved away. Thread-safe.</summary>
internal sealed class LogFile : IDisposable
{
    private readonly Lock _gate = new();
    private StreamWriter _writer;

    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public LogFile(string path) => _writer = Open(path);

    public void WriteLine(string line)
    {
        lock (_gate)
            _writer.WriteLine(line);
    }

    /// <summary>Goes on in the file that has the path now. When that cannot be opened, it goes on as before.</summary>
    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public void Reopen(string path)
    {
        var next = Open(path);
        lock (_gate)
        {
            _writer.Dispose();
            _writer = next;
        }
    }

    public void Dispose()
    {
        lock (_gate)
            _writer.Dispose();
    }

    private static StreamWriter Open(string path)
    {
        try
        {
            var stream = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            return new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the log file {path}: {e.Message}", e);
        }
    }
}
