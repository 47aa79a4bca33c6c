using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>
/// The file that makes a folder a backup: the length and the checksum of each file. It is written last, so a backup that
/// was interrupted has none.
/// </summary>
internal static class BackupManifest
{
    internal const string FileName = "broker-backup";

    private const string FirstLine = "broker backup 1";
    private const string CheckName = "check ";
    private const int BlockLength = 1024 * 1024;

    internal static void Write(string directory, IProgress<MaintenanceProgress>? progress)
    {
        StringBuilder text = new StringBuilder(FirstLine).Append('\n');
        foreach (string file in FilesOf(directory))
        {
            (long length, uint check) = Measure(Path.Combine(directory, file), progress);
            text.Append(CultureInfo.InvariantCulture, $"{check:x8} {length} {file.Replace('\\', '/')}\n");
        }

        text.Append(CheckOf(text.ToString()));
        new DiskFiles(directory).Replace(FileName, Encoding.UTF8.GetBytes(text.ToString()));
    }

    /// <summary>Checks that the folder has exactly the files that were written.</summary>
    /// <exception cref="StoreException">The folder is no backup, is not complete, or is damaged.</exception>
    internal static void Check(string directory, IProgress<MaintenanceProgress>? progress)
    {
        string path = Path.Combine(directory, FileName);
        if (!File.Exists(path))
        {
            throw new StoreException($"The folder '{directory}' is not a complete backup: it has no file '{FileName}'.");
        }

        string text = File.ReadAllText(path);
        int at = text.LastIndexOf(CheckName, StringComparison.Ordinal);
        if (at < 0 || !string.Equals(text[at..], CheckOf(text[..at]), StringComparison.Ordinal))
        {
            throw new StoreException($"The file '{path}' is damaged.");
        }

        string[] lines = text[..at].Split('\n', StringSplitOptions.RemoveEmptyEntries);
        if (lines is not [FirstLine, ..])
        {
            throw new StoreException($"The backup '{directory}' is of a newer version: '{lines.FirstOrDefault()}'. This program reads '{FirstLine}'.");
        }

        foreach (string line in lines.Skip(1))
        {
            string[] parts = line.Split(' ', 3);
            string file = Path.Combine(directory, parts[2]);
            if (!File.Exists(file))
            {
                throw new StoreException($"The backup is not complete: the file '{file}' is missing.");
            }

            (long length, uint check) = Measure(file, progress);
            if (!string.Equals(string.Create(CultureInfo.InvariantCulture, $"{check:x8} {length}"), $"{parts[0]} {parts[1]}", StringComparison.Ordinal))
            {
                throw new StoreException($"The backup is damaged: the file '{file}' is not as it was written.");
            }
        }
    }

    // The last line is the checksum of those before it.
    private static string CheckOf(string text) => string.Create(CultureInfo.InvariantCulture, $"{CheckName}{Checksum.Of(0, Encoding.UTF8.GetBytes(text)):x8}\n");

    private static IEnumerable<string> FilesOf(string directory)
        => Directory.EnumerateFiles(directory, "*", SearchOption.AllDirectories).Select(path => Path.GetRelativePath(directory, path))
            .Where(static name => Path.GetFileName(name) is not (FileName or StoreFileNames.Lock)).Order(StringComparer.Ordinal);

    private static (long Length, uint Check) Measure(string path, IProgress<MaintenanceProgress>? progress)
    {
        using FileStream file = File.OpenRead(path);
        byte[] block = new byte[BlockLength];
        uint check = 0;
        long length = 0;
        for (int read; (read = file.ReadAtLeast(block, block.Length, throwOnEndOfStream: false)) > 0;)
        {
            check = Checksum.Of(check, block.AsSpan(0, read));
            length += read;
            progress?.Report(new MaintenanceProgress(length, file.Length));
        }

        return (length, check);
    }
}
