using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// A listening socket that this process has inherited from a service manager, such as systemd, that opens addresses for
/// its services. It can be used wherever an address to listen at is expected.
/// </summary>
/// <remarks>
/// This class has value equality: two end points of the same descriptor are equal. The first <see cref="Listener"/>
/// that is started at the end point owns the descriptor and closes it. Programs that this process starts afterwards do
/// not inherit the descriptor. The service manager has a descriptor of its own. So clients that connect between the end
/// of one process and the start of the next wait for the next process. Supported on Linux only.
/// </remarks>
/// <param name="descriptor">The number of the descriptor in this process.</param>
/// <param name="name">The name for messages. Null means that messages show only the number.</param>
public sealed class InheritedEndPoint(int descriptor, string? name = null) : EndPoint, IEquatable<InheritedEndPoint>
{
    /// <summary>The number of the descriptor in this process.</summary>
    public int Descriptor { get; } = descriptor;

    /// <summary>The name for messages.</summary>
    public string? Name { get; } = name;

    /// <summary>Unspecified, because the address family is not known before the listener uses the socket.</summary>
    public override AddressFamily AddressFamily => AddressFamily.Unspecified;

    /// <inheritdoc/>
    public bool Equals(InheritedEndPoint? other) => other is not null && other.Descriptor == Descriptor;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as InheritedEndPoint);

    /// <inheritdoc/>
    public override int GetHashCode() => Descriptor;

    /// <inheritdoc/>
    public override string ToString() => Name is null ? $"descriptor {Descriptor}" : $"descriptor {Descriptor} ({Name})";

    /// <summary>Creates the socket, which then belongs to the caller.</summary>
    /// <exception cref="SocketException">
    /// The descriptor is not a listening stream socket. The descriptor stays unchanged.
    /// </exception>
    internal Socket Take()
    {
        // These checks come before a Socket owns the descriptor, because a descriptor of something else must not be
        // closed.
        if (!OperatingSystem.IsLinux())
        {
            throw new SocketException((int)SocketError.OperationNotSupported, "inherited sockets are supported on Linux only");
        }

        if (!LibC.TryGetSocketOption(Descriptor, LibC.SO_ACCEPTCONN, out int listens) || listens == 0
            || !LibC.TryGetSocketOption(Descriptor, LibC.SO_TYPE, out int type) || type != LibC.SOCK_STREAM)
        {
            throw new SocketException(
                (int)SocketError.NotSocket, "it is not a listening stream socket (a socket unit of systemd needs ListenStream= and Accept=no)");
        }

        if (LibC.SetDescriptorFlags(Descriptor, LibC.FD_CLOEXEC) != 0)
        {
            throw new SocketException((int)SocketError.Fault, $"it cannot be closed for child processes (error {Marshal.GetLastSystemError()})");
        }

        return new Socket(new SafeSocketHandle(Descriptor, ownsHandle: true));
    }
}
