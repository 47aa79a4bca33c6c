using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>
/// The limit and the number of open files of a process. .NET raises its own limit to the allowed maximum, and a child
/// inherits it. If this is not enough, only an administrator can raise it.
/// </summary>
internal static class OpenFiles
{
    private const string LimitLine = "Max open files";

    /// <summary>
    /// Throws if a server, or this process if it is null, may not open so many files. Does nothing if the system has no
    /// such information.
    /// </summary>
    public static void Require(ServerProcess? server, int count)
    {
        if (Limit(server is null ? "self" : server.Process.Id.ToString(CultureInfo.InvariantCulture)) is { } limit && limit < count)
        {
            throw new DriverException($"{server?.Command.Name ?? "The driver"} may open only {limit} files and needs {count}: raise the hard limit (ulimit -Hn).");
        }
    }

    /// <summary>The number of files that a server has open; null if the system has no such information.</summary>
    public static int? Count(ServerProcess server)
    {
        string folder = $"/proc/{server.Process.Id}/fd";
        return Directory.Exists(folder) ? Directory.EnumerateFileSystemEntries(folder).Count() : null;
    }

    private static long? Limit(string process)
    {
        string file = $"/proc/{process}/limits";
        if (!File.Exists(file))
        {
            return null;
        }

        string? line = File.ReadLines(file).FirstOrDefault(candidate => candidate.StartsWith(LimitLine, StringComparison.Ordinal));
        string? soft = line?[LimitLine.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0];
        return long.TryParse(soft, CultureInfo.InvariantCulture, out long limit) ? limit : null;
    }
}
