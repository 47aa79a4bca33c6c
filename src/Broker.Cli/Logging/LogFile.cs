using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Broker.Cli.Logging;

/// <summary>Appends lines to a log file. The file can be reopened after it was renamed.</summary>
/// <remarks>
/// One thread writes. Another thread may call <see cref="Reopen"/> and <see cref="Dispose"/>, which never wait for the
/// writing thread, because a write to a pipe or a remote disk may block forever. Nothing is buffered: a line that
/// cannot be written is lost and does not affect the next line.
/// </remarks>
internal sealed class LogFile : IDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private SafeFileHandle _file;

    // The file whose last line is incomplete because a write failed.
    private SafeFileHandle? _torn;

    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public LogFile(string path) => _file = Open(path);

    /// <exception cref="IOException">The line could not be written. Later lines can still be written.</exception>
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
                // Another thread has just reopened the file.
            }
        }
    }

    /// <summary>Opens the file that now has the path and writes to it.</summary>
    /// <exception cref="ServeStartException">
    /// The file cannot be opened. Lines still go to the previous file.
    /// </exception>
    public void Reopen(string path) => Interlocked.Exchange(ref _file, Open(path)).Dispose();

    public void Dispose() => _file.Dispose();

    private void Append(SafeFileHandle file, string line)
    {
        // The length is read each time, because a log rotation may have truncated the file, or another process may
        // write to it.
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

    // A pipe or a terminal has no length.
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
