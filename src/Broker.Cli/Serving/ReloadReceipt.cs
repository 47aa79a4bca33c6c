using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Broker.Cli.Serving;

/// <summary>
/// Carries the result of a reload to the processes that have requested the reload with a signal, because a signal alone
/// has no answer. Each of these processes listens on a Unix socket in the temporary folder. The name of the socket
/// contains the id of the broker's process. The result is one datagram.
/// </summary>
internal sealed class ReloadReceipt : IDisposable
{
    private const string Prefix = "broker-reload-";
    private const int MaxLength = 8 * 1024;

    // Other users can create sockets with this name too, so their number is bounded.
    private const int MaxSockets = 16;

    private readonly Socket _socket;
    private readonly string _path;

    private ReloadReceipt(Socket socket, string path)
    {
        _socket = socket;
        _path = path;
    }

    /// <summary>
    /// Begins to wait for the result of the next reload of a process. Returns null if this system has no Unix datagram
    /// sockets.
    /// </summary>
    public static ReloadReceipt? Open(int process)
    {
        string path = Path.Combine(Path.GetTempPath(), string.Create(CultureInfo.InvariantCulture, $"{Prefix}{process}-{Guid.NewGuid():N}"));
        Socket? socket = null;
        try
        {
            socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(path));
            if (!OperatingSystem.IsWindows())
            {
                // The broker of another user can answer root only if it may write to root's socket.
                UnixFileMode others = Environment.IsPrivilegedProcess ? UnixFileMode.OtherWrite | UnixFileMode.GroupWrite : UnixFileMode.None;
                File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | others);
            }

            return new ReloadReceipt(socket, path);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException or ArgumentException or PlatformNotSupportedException)
        {
            socket?.Dispose();
            return null;
        }
    }

    /// <summary>Sends the result of a reload of this process to all processes that wait for it.</summary>
    /// <param name="problems">The reasons why nothing has changed, or empty after a success.</param>
    public static void Send(IReadOnlyList<string> problems)
    {
        byte[] text = Encoding.UTF8.GetBytes(string.Join('\n', problems));
        string pattern = string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Environment.ProcessId}-*");
        try
        {
            foreach (string path in Directory.EnumerateFiles(Path.GetTempPath(), pattern).Take(MaxSockets))
            {
                using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { Blocking = false };
                SendTo(socket, text.AsSpan(0, Math.Min(text.Length, MaxLength)), path);
            }
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            // The requesters get no result, but the log contains it too.
        }
    }

    /// <summary>
    /// Waits for the result. Returns the problems, which are empty after a success, or null if no result has arrived.
    /// </summary>
    public IReadOnlyList<string>? Wait(TimeSpan time)
    {
        try
        {
            _socket.ReceiveTimeout = (int)time.TotalMilliseconds;
            byte[] buffer = new byte[MaxLength];
            int length = _socket.Receive(buffer);
            return Encoding.UTF8.GetString(buffer, 0, length).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        }
        catch (SocketException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        File.Delete(_path);
    }

    // The process may have ended without deleting its socket, or the socket may be that of another user.
    private static void SendTo(Socket socket, ReadOnlySpan<byte> text, string path)
    {
        try
        {
            socket.SendTo(text, new UnixDomainSocketEndPoint(path));
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            // This requester does not get the result.
        }
    }
}
