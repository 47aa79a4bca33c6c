using System.Globalization;
using System.Text.RegularExpressions;

namespace Broker.Cli.Logging;

/// <summary>
/// When a log file is renamed, and how many renamed files are kept. The rules are those of nats-server.
/// </summary>
/// <param name="SizeLimit">The size in bytes above which the file is renamed after a line, or 0 for no limit.</param>
/// <param name="MaxFiles">The maximum number of files, the current one included, or 0 for no limit.</param>
internal sealed partial record LogRotation(long SizeLimit, int MaxFiles)
{
    /// <summary>Returns a new name for a log file, such as <c>b.log.2026.11.27.21.51.44.965728300</c>.</summary>
    public static string Rename(string path, DateTimeOffset now)
        => $"{path}.{now.ToString("yyyy.MM.dd.HH.mm.ss.fffffff", CultureInfo.InvariantCulture)}00";

    /// <summary>Deletes the oldest renamed files above <see cref="MaxFiles"/>, and returns their names.</summary>
    /// <exception cref="IOException">A file cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">A file must not be deleted.</exception>
    public IReadOnlyList<string> Purge(string path)
    {
        if (MaxFiles <= 0)
        {
            return [];
        }

        string name = Path.GetFileName(path);
        string[] renamed =
        [
            .. Directory.GetFiles(Path.GetDirectoryName(Path.GetFullPath(path))!, name + ".*")
                .Where(file => Stamp().IsMatch(Path.GetFileName(file)[name.Length..]))
                .Order(StringComparer.Ordinal),
        ];
        string[] purged = renamed[..Math.Max(0, renamed.Length - (MaxFiles - 1))];
        Array.ForEach(purged, File.Delete);
        return purged;
    }

    [GeneratedRegex(@"^\.\d{4}(\.\d{2}){5}\.\d{1,9}$", RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Stamp();
}
