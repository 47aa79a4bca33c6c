using System.Runtime.ExceptionServices;
using System.Text;

namespace Broker.Cli.Shell;

/// <summary>
/// Reads small files of the operator. A path that is a device or a FIFO by mistake would be read for ever, or would
/// block the command.
/// </summary>
internal static class BoundedFile
{
    // A FIFO that another process fills, as in `-c <(generate)`, is read within this time.
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    /// <summary>Reads a text of at most so many characters.</summary>
    /// <exception cref="InvalidDataException">The file is too large.</exception>
    /// <exception cref="IOException">The file cannot be read, or not to its end in time.</exception>
    /// <exception cref="UnauthorizedAccessException">The file must not be read, or it is a folder.</exception>
    public static string ReadText(string path, int most, TimeSpan? limit = null)
    {
        string text = "";
        Exception? failure = null;
        var reader = new Thread(() =>
        {
            try
            {
                text = Read(path, most);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException or ArgumentException)
            {
                failure = e;
            }
        })
        {
            IsBackground = true,
        };
        reader.Start();
        if (!reader.Join(limit ?? Limit))
        {
            throw new IOException(
                $"it could not be read to its end within {(limit ?? Limit).TotalSeconds} s; it may be a pipe or a device");
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return text;
    }

    private static string Read(string path, int most)
    {
        using var reader = new StreamReader(path);
        char[] buffer = new char[8192];
        var text = new StringBuilder();
        while (reader.Read(buffer) is > 0 and var count)
        {
            text.Append(buffer, 0, count);
            if (text.Length > most)
            {
                throw new InvalidDataException($"is larger than {most} characters");
            }
        }

        return text.ToString();
    }
}
