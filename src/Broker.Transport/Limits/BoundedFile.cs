using System.Runtime.ExceptionServices;
using System.Text;

namespace Broker.Transport;

/// <summary>
/// Reads small files of the operator, such as keys and settings, with a limit on size and time. Without these limits, a
/// path that is a device or a FIFO by mistake would be read for ever or block the caller. Thread-safe.
/// </summary>
public static class BoundedFile
{
    // A FIFO that another process fills, as in -c <(generate), must be read within this time.
    private static readonly TimeSpan DefaultLimit = TimeSpan.FromSeconds(10);

    /// <summary>Reads a text file. The call blocks until the file is read, for at most 10 s.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="maxCharacters">The largest number of characters.</param>
    /// <exception cref="InvalidDataException">
    /// The file is too large. The message is meant to follow the file's name: "is larger than 4194304 characters".
    /// </exception>
    /// <exception cref="IOException">The file cannot be read, or its end was not reached in time.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// This process has no permission to read the file, or the path is a folder.
    /// </exception>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    public static string ReadText(string path, int maxCharacters) => ReadText(path, maxCharacters, DefaultLimit);

    internal static string ReadText(string path, int maxCharacters, TimeSpan limit) => Read(path, () => Read(path, maxCharacters), limit);

    /// <summary>Reads a file of bytes like <see cref="ReadText(string, int)"/>.</summary>
    internal static byte[] ReadBytes(string path, int maxBytes) => Read(path, () => ReadAll(path, maxBytes), DefaultLimit);

    private static T Read<T>(string path, Func<T> read, TimeSpan limit)
        where T : class
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        T? content = null;
        Exception? failure = null;
        var reader = new Thread(() =>
        {
            try
            {
                content = read();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                failure = e;
            }
        })
        {
            IsBackground = true,
        };
        reader.Start();
        if (!reader.Join(limit))
        {
            throw new IOException($"it could not be read to its end within {limit.TotalSeconds} s; it may be a pipe or a device");
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        return content!;
    }

    private static byte[] ReadAll(string path, int most)
    {
        using FileStream file = File.OpenRead(path);
        using var bytes = new MemoryStream();
        byte[] buffer = new byte[8192];
        while (file.Read(buffer) is > 0 and var count)
        {
            bytes.Write(buffer, 0, count);
            if (bytes.Length > most)
            {
                throw new InvalidDataException($"is larger than {most} bytes");
            }
        }

        return bytes.ToArray();
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
