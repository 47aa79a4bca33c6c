using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMq.Endpoints;

/// <summary>
/// The file of a Unix socket outlives a process that was killed, and nobody can bind to that path again until it is removed.
/// </summary>
internal static class StaleSocketFile
{
    /// <summary>
    /// Removes the file if it is a socket that nobody listens on. libzmq removes whatever is there; here a socket in use and a file that
    /// is none stay.
    /// </summary>
    internal static bool TryRemove(string path, EndPoint endPoint)
    {
        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            // Without waiting: a listener with a full backlog would hold a blocking connect up.
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

    // A connect to a file that is no socket is refused as well. Only a socket cannot be opened (ENXIO); for reading and writing, since
    // the reader of a pipe would wait for a writer.
    private static bool IsSocket(string path)
    {
        try
        {
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
