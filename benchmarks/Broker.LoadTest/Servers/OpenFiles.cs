using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>
/// How many files a process may have open and has. .NET raises its own limit to the highest that is allowed, and a child
/// inherits it: what is missing then only an administrator can give.
/// </summary>
internal static class OpenFiles
{
    private const string LimitLine = "Max open files";

    /// <summary>Throws when a server, or this process where it is null, may not open so many. Says nothing where the system does not tell.</summary>
    public static void Require(ServerProcess? server, int count)
    {
        if (Limit(server is null ? "self" : server.Process.Id.ToString(CultureInfo.InvariantCulture)) is { } limit && limit < count)
        {
            throw new DriverException($"{server?.Command.Name ?? "The driver"} may open {limit} files only and needs {count}: raise the hard limit (ulimit -Hn).");
        }
    }

    /// <summary>How many a server has open now; null where the system does not tell.</summary>
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
