using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Broker.Cli.Logging;

/// <summary>A file that lines are appended to, and that can be opened anew after it was moved away.</summary>
/// <remarks>
/// One thread writes; <see cref="Reopen"/> and <see cref="Dispose"/> may come from another one meanwhile and never wait for it,
/// since a write to a pipe or a remote disk may last for ever. Nothing is buffered: a line that cannot be written is gone and
/// never comes in the way of the next one.
/// </remarks>
internal sealed class LogFile : IDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private SafeFileHandle _file;

    // The file that ends in the middle of a line, of which no more could be written.
    private SafeFileHandle? _torn;

    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public LogFile(string path) => _file = Open(path);

    /// <exception cref="IOException">The line could not be written. Another one may be tried.</exception>
    public void WriteLine(string line)
    {
        while (true)
        {
            SafeFileHandle file = Volatile.Read(ref _file);
            try
            {
                Append(file, line);
                return;
            }
            catch (ObjectDisposedException) when (file != Volatile.Read(ref _file))
            {
                // It was opened anew in this moment.
            }
        }
    }

    /// <summary>Goes on in the file that has the path now. When that cannot be opened, it goes on as before.</summary>
    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public void Reopen(string path) => Interlocked.Exchange(ref _file, Open(path)).Dispose();

    public void Dispose() => _file.Dispose();

    private void Append(SafeFileHandle file, string line)
    {
        // Where the file ends is asked each time: whoever rotates logs may have cut it short, or write to it too.
        long end = LengthOf(file);
        byte[] bytes = Utf8.GetBytes((_torn == file && end > 0 ? "\n" : "") + line + Environment.NewLine);
        try
        {
            RandomAccess.Write(file, bytes, end);
            _torn = null;
        }
        catch
        {
            if (!file.IsClosed && LengthOf(file) > end)
            {
                _torn = file;
            }

            throw;
        }
    }

    // A pipe or a terminal has none.
    private static long LengthOf(SafeFileHandle file)
    {
        try
        {
            return RandomAccess.GetLength(file);
        }
        catch (NotSupportedException)
        {
            return 0;
        }
    }

    private static SafeFileHandle Open(string path)
    {
        try
        {
            return File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the log file {path}: {e.Message}", e);
        }
    }
}
