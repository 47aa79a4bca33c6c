using Broker.Cli.Secrets;
using Broker.Transport;

namespace Broker.Cli.Auth;

/// <summary>Reads and writes the files of tokens and seeds. Only their owner can read them.</summary>
internal static class AuthFile
{
    private const int MaxFile = 1024 * 1024;
    private const string TokenBegin = "eyJ";

    /// <summary>Reads a file with one token: alone, or between lines of dashes as in a credentials file.</summary>
    /// <exception cref="AuthException">The file cannot be read, or has no valid token.</exception>
    public static Token ReadToken(string file)
    {
        string? line = Array.Find(ReadText(file).Split('\n', StringSplitOptions.TrimEntries), static l => l.StartsWith(TokenBegin, StringComparison.Ordinal));
        try
        {
            return Token.Read(line ?? throw new FormatException("it contains no JWT"));
        }
        catch (FormatException e)
        {
            throw new AuthException($"the file {file} cannot be used: {e.Message.TrimEnd('.')}");
        }
    }

    /// <summary>Returns the file to write: the one that is given, or a name with an ending; null if that is no name of a file.</summary>
    public static string? PathOf(string? given, string name, string end)
        => given is { Length: > 0 } ? given
            : given is null && name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.') && name[0] != '.' ? name + end
            : null;

    /// <exception cref="AuthException">The file cannot be read.</exception>
    public static string ReadText(string file)
    {
        try
        {
            return BoundedFile.ReadText(file, MaxFile);
        }
        catch (Exception e) when (IsOfFile(e))
        {
            throw new AuthException($"cannot read {file}: {ErrorText.WithoutParameter(e.Message).TrimEnd('.')}");
        }
    }

    /// <summary>
    /// Writes a file in one step: a reader sees the old content or the new one, and a full disk loses neither.
    /// </summary>
    /// <exception cref="AuthException">The file cannot be written.</exception>
    public static void Write(string file, string text)
    {
        string next = $"{file}.{Guid.NewGuid():N}.new";
        try
        {
            if (Path.GetDirectoryName(file) is { Length: > 0 } folder)
            {
                CreateFolder(folder);
            }

            using (FileStream stream = SecretFile.Create(next))
            using (var writer = new StreamWriter(stream))
            {
                writer.Write(text);
                writer.Flush();
                stream.Flush(flushToDisk: true);
            }

            File.Move(next, file, overwrite: true);
        }
        catch (Exception e) when (IsOfFile(e))
        {
            Remove(next);
            throw new AuthException($"cannot write {file}: {ErrorText.WithoutParameter(e.Message).TrimEnd('.')}");
        }
    }

    private static void Remove(string file)
    {
        try
        {
            File.Delete(file);
        }
        catch (Exception e) when (IsOfFile(e))
        {
            // The error that is reported is that of the write.
        }
    }

    private static void CreateFolder(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(folder);
        }
        else if (!Directory.Exists(folder))
        {
            // The permissions count for the last folder of a path only.
            if (Path.GetDirectoryName(folder) is { Length: > 0 } parent)
            {
                CreateFolder(parent);
            }

            Directory.CreateDirectory(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }

    /// <summary>Whether an exception is about a file: a missing one, a wrong name or a permission.</summary>
    public static bool IsOfFile(Exception e) => e is IOException or UnauthorizedAccessException or InvalidDataException or ArgumentException or NotSupportedException;
}
