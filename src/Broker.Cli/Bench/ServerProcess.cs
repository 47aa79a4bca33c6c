using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Net;

namespace Broker.Cli.Bench;

/// <summary>
/// The process of a server on this machine, for the processor time that it uses. Only on Linux, where the system shows
/// which process listens on a port, and only if this user may see it.
/// </summary>
internal sealed class ServerProcess : IDisposable
{
    // The state of a listening socket in /proc/net/tcp.
    private const string Listening = "0A";

    private readonly Process _process;

    private ServerProcess(Process process) => _process = process;

    /// <summary>The processor time so far; null if the process has ended.</summary>
    public TimeSpan? Used
    {
        get
        {
            try
            {
                _process.Refresh();
                return _process.TotalProcessorTime;
            }
            catch (Exception e) when (e is InvalidOperationException or Win32Exception or NotSupportedException or IOException)
            {
                return null;
            }
        }
    }

    /// <summary>Finds the process that listens on an address, such as <c>127.0.0.1:4222</c>.</summary>
    /// <returns>The process; null if it is on another machine, is this process, or cannot be found.</returns>
    public static ServerProcess? Find(string address)
    {
        if (!OperatingSystem.IsLinux() || !HostAndPort.TryParse(address, out string host, out int port) || !IsHere(host))
        {
            return null;
        }

        try
        {
            HashSet<string> sockets = [.. Sockets(port)];
            return sockets.Count == 0 ? null : Find(sockets);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public void Dispose() => _process.Dispose();

    private static bool IsHere(string host) => host == "localhost" || (IPAddress.TryParse(host, out IPAddress? ip) && IPAddress.IsLoopback(ip));

    private static IEnumerable<string> Sockets(int port)
    {
        string suffix = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        foreach (string table in (string[])["/proc/net/tcp", "/proc/net/tcp6"])
        {
            foreach (string line in File.Exists(table) ? File.ReadLines(table) : [])
            {
                string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                if (fields.Length > 9 && fields[3] == Listening && fields[1].EndsWith(suffix, StringComparison.Ordinal))
                {
                    yield return $"socket:[{fields[9]}]";
                }
            }
        }
    }

    private static ServerProcess? Find(HashSet<string> sockets)
    {
        foreach (string folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out int id)
                && id != Environment.ProcessId && Holds(folder, sockets))
            {
                return Open(id);
            }
        }

        return null;
    }

    private static bool Holds(string folder, HashSet<string> sockets)
    {
        try
        {
            return Directory.EnumerateFileSystemEntries(folder + "/fd")
                .Any(entry => new FileInfo(entry).LinkTarget is { } target && sockets.Contains(target));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The process belongs to another user, or has just ended.
            return false;
        }
    }

    private static ServerProcess? Open(int id)
    {
        try
        {
            return new ServerProcess(Process.GetProcessById(id));
        }
        catch (ArgumentException)
        {
            return null;
        }
    }
}
