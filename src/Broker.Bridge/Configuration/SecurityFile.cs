using System.Diagnostics.CodeAnalysis;
using Broker.Transport;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>Reads a file that a setting of a route's security names. No result shows a file's content.</summary>
public static class SecurityFile
{
    private const int MaxPasswordFile = 64 * 1024;
    private const int MaxUsersFile = 4 * 1024 * 1024;

    /// <summary>Reads a file and returns, in place of an exception, a reason for the message to the user.</summary>
    /// <typeparam name="T">What the file contains.</typeparam>
    /// <param name="file">The file's path.</param>
    /// <param name="read">
    /// Reads the file. Its exceptions must not show the file's content. <see cref="CurveKeyFile"/>,
    /// <see cref="SocketSecurity.PlainServer"/> and <see cref="ReadPassword"/> are such methods.
    /// </param>
    /// <param name="content">The content; null if the method returns false.</param>
    /// <param name="reason">
    /// Why the file cannot be used, for example "there is no such file"; null if the method returns true.
    /// </param>
    /// <returns>Whether the file was read.</returns>
    public static bool TryRead<T>(
        string file, Func<string, T> read, [NotNullWhen(true)] out T? content, [NotNullWhen(false)] out string? reason)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(file);
        ArgumentNullException.ThrowIfNull(read);
        content = null;
        reason = null;
        try
        {
            content = read(file);
        }
        catch (FormatException e)
        {
            reason = e.Message;
        }
        catch (UnauthorizedAccessException)
        {
            reason = "the broker has no permission to read it";
        }
        catch (Exception e) when (e is IOException or ArgumentException or NotSupportedException)
        {
            reason = File.Exists(file) ? "it cannot be read" : "there is no such file";
        }

        return reason is null;
    }

    /// <summary>Reads a password: the whole file without the line end.</summary>
    /// <param name="file">The file's path.</param>
    /// <exception cref="FormatException">The file is larger than 65,536 characters.</exception>
    /// <exception cref="IOException">The file cannot be read, or not within 10 s.</exception>
    /// <exception cref="UnauthorizedAccessException">The process may not read the file.</exception>
    public static string ReadPassword(string file) => Read(file, MaxPasswordFile).TrimEnd('\r', '\n');

    internal static string ReadUsers(string file) => Read(file, MaxUsersFile);

    private static string Read(string file, int maxCharacters)
    {
        try
        {
            return BoundedFile.ReadText(file, maxCharacters);
        }
        catch (InvalidDataException e)
        {
            throw new FormatException("it " + e.Message, e);
        }
    }
}
