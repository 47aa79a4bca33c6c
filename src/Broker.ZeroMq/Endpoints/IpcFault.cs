using System.Net.Sockets;

namespace Broker.ZeroMq;

/// <summary>
/// Finds out why the path of an ipc endpoint cannot be used. The system's error codes alone do not say: a missing
/// folder is an address that this machine does not have.
/// </summary>
internal static class IpcFault
{
    /// <summary>Returns the reason in words; null if the path shows none.</summary>
    internal static string? OfBinding(string path, SocketError error)
    {
        string folder = Path.GetDirectoryName(Path.GetFullPath(path)) ?? "/";
        return error switch
        {
            _ when File.Exists(folder) => $"{folder} is not a folder",
            _ when !Directory.Exists(folder) => $"the folder {folder} does not exist",
            SocketError.AccessDenied => $"this process may not create files in the folder {folder}",
            SocketError.AddressAlreadyInUse => OfFile(path) ?? "another socket listens at this path",
            _ => null,
        };
    }

    /// <summary>Returns the reason in words; null if the path shows none.</summary>
    internal static string? OfConnecting(string path, SocketError error) => error switch
    {
        SocketError.AccessDenied => "this process may not use the file",
        _ when !Path.Exists(path) => "the file does not exist (NetMQ creates none: its ipc:// is a TCP port)",
        SocketError.ConnectionRefused => OfFile(path) ?? "no socket listens at this path",
        _ => null,
    };

    // Null if the file is a socket.
    private static string? OfFile(string path)
        => Directory.Exists(path) ? "the path is a folder"
            : StaleSocketFile.IsSocket(path) ? null : "the path is a file that is not a socket";
}
