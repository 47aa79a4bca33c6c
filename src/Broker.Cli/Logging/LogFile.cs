using System.Text;

namespace Broker.Cli.Logging;

/// <summary>Appends lines to a log file. The file can be reopened after it was renamed.</summary>
/// <remarks>
/// One thread writes. Another thread may call <see cref="Reopen"/> and <see cref="Dispose"/>, which never wait for the
/// writing thread, because a write to a pipe or a remote disk may block forever. Nothing is buffered: a line that
/// cannot be written is lost and does not affect the next line. The path may be of a pipe, a FIFO or a terminal.
/// </remarks>
internal sealed class LogFile : IDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private FileStream _file;

    // The file whose last line is incomplete because a write failed.
    private FileStream? _torn;

    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public LogFile(string path) => _file = Open(path);

    /// <exception cref="IOException">The line could not be written. Later lines can still be written.</exception>
    public void WriteLine(string line)
    {
        while (true)
        {
            FileStream file = Volatile.Read(ref _file);
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

    private void Append(FileStream file, string line)
    {
        if (!file.CanSeek)
        {
            // A pipe or a terminal has no length and no positions.
            ObjectDisposedException.ThrowIf(!file.CanWrite, file);
            file.Write(Utf8.GetBytes(line + Environment.NewLine));
            return;
        }

        // The length is read each time, because a log rotation may have truncated the file, or another process may
        // write to it.
        long end = RandomAccess.GetLength(file.SafeFileHandle);
        byte[] bytes = Utf8.GetBytes((_torn == file && end > 0 ? "\n" : "") + line + Environment.NewLine);
        try
        {
            RandomAccess.Write(file.SafeFileHandle, bytes, end);
            _torn = null;
        }
        catch
        {
            if (file.CanWrite && RandomAccess.GetLength(file.SafeFileHandle) > end)
            {
                _torn = file;
            }

            throw;
        }
    }

    private static FileStream Open(string path)
    {
        try
        {
            return new FileStream(path, new FileStreamOptions
            {
                Mode = FileMode.OpenOrCreate,
                Access = FileAccess.Write,
                Share = FileShare.ReadWrite | FileShare.Delete,
                BufferSize = 0,
            });
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the log file {path}: {e.Message}", e);
        }
    }
}
