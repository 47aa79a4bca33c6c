using System.Text;

namespace Broker.Cli.Logging;

/// <summary>
/// Appends lines to a log file. The file can be reopened after it was renamed. If it is too large, this class renames
/// it.
/// </summary>
/// <remarks>
/// One thread writes. Another thread may call <see cref="Reopen"/> and <see cref="Dispose"/>, which never wait for the
/// writing thread, because a write to a pipe or a remote disk may block forever. Nothing is buffered: a line that
/// cannot be written is lost and does not affect the next line. The path may be of a pipe, a FIFO or a terminal.
/// </remarks>
internal sealed class LogFile : IDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private readonly Func<string, string> _notice;
    private readonly TimeProvider _clock;
    private volatile string _path;
    private volatile LogRotation? _rotation;
    private FileStream _file;

    // If the file cannot be renamed, it grows by the limit again before the next attempt.
    private long _retryAbove;

    // The file whose last line is incomplete because a write failed.
    private FileStream? _torn;

    /// <param name="path">The path of the file.</param>
    /// <param name="notice">Formats a text of this class as a line. Without it, the text itself is the line.</param>
    /// <param name="clock">The clock for the names of renamed files.</param>
    /// <exception cref="ServeStartException">The file cannot be opened.</exception>
    public LogFile(string path, Func<string, string>? notice = null, TimeProvider? clock = null)
    {
        _path = path;
        _notice = notice ?? (static text => text);
        _clock = clock ?? TimeProvider.System;
        _file = Open(path);
    }

    /// <summary>When the file is renamed, or null for never. It can be changed at any time.</summary>
    public LogRotation? Rotation
    {
        get => _rotation;
        set => _rotation = value;
    }

    /// <exception cref="IOException">The line could not be written. Later lines can still be written.</exception>
    public void WriteLine(string line)
    {
        while (true)
        {
            FileStream file = Volatile.Read(ref _file);
            try
            {
                Append(file, line);
                RotateIfNeeded(file);
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
    public void Reopen(string path)
    {
        _path = path;
        Interlocked.Exchange(ref _file, Open(path)).Dispose();
    }

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

    private void RotateIfNeeded(FileStream file)
    {
        if (_rotation is not { SizeLimit: > 0 } rotation || !file.CanSeek)
        {
            return;
        }

        long length = RandomAccess.GetLength(file.SafeFileHandle);
        if (length <= rotation.SizeLimit || (_retryAbove > 0 && length <= _retryAbove))
        {
            return;
        }

        string path = _path;
        string renamed = LogRotation.Rename(path, _clock.GetLocalNow());
        try
        {
            // A link is not renamed. The path of standard output, for example, is a link that other programs need.
            if (new FileInfo(path).LinkTarget is not null)
            {
                throw new IOException($"{path} is a link");
            }

            File.Move(path, renamed);
            Reopen(path);
            _retryAbove = 0;
            Append(_file, _notice($"Rotated log, backup saved as \"{renamed}\""));
            foreach (string purged in rotation.Purge(path))
            {
                Append(_file, _notice($"Purged log file \"{Path.GetFileName(purged)}\""));
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ServeStartException)
        {
            _retryAbove = length + rotation.SizeLimit;
            Append(_file, _notice($"The log could not be rotated: {e.Message}"));
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
