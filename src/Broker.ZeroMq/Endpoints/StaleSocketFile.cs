using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMq;

/// <summary>
/// Removes the file that a Unix socket leaves behind when its process is killed. Until the file is removed, no socket
/// can bind to its path.
/// </summary>
internal static class StaleSocketFile
{
    /// <summary>
    /// Removes the file if it is a socket on which no process listens. A socket in use and a file that is not a socket
    /// are kept, whereas libzmq removes any file.
    /// </summary>
    internal static bool TryRemove(string path, EndPoint endPoint)
    {
        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            // The socket does not block, because a listener with a full backlog would delay a blocking connect.
            probe.Blocking = false;
            probe.Connect(endPoint);
            return false;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionRefused && IsSocket(path))
        {
            File.Delete(path);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>
    /// Whether the file is a socket. A connect to any other file is refused too, but only a socket cannot be opened
    /// (ENXIO).
    /// </summary>
    internal static bool IsSocket(string path)
    {
        try
        {
            // For reading and writing: the open of a pipe for reading would wait for a writer.
            using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            return false;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
        catch (IOException e)
        {
            return e is not FileNotFoundException and not DirectoryNotFoundException;
        }
    }
}
