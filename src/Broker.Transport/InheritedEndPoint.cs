using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Broker.Transport.Linux;

namespace Broker.Transport;

/// <summary>
/// A socket that listens already and that this process was started with: by a service manager that opens addresses for its services, such
/// as systemd. It stands wherever an address to listen at does.
/// </summary>
/// <remarks>
/// A value: two of the same descriptor are equal. The descriptor belongs to the first <see cref="Listener"/> that is started at it, which
/// closes it at its end, and programs that this process starts from then on do not inherit it. Whoever has opened the socket holds a
/// descriptor of its own, so clients that come in between two processes wait for the next. Known on Linux only.
/// </remarks>
/// <param name="descriptor">The number of the descriptor in this process.</param>
/// <param name="name">What it is called in messages; null for the number alone.</param>
public sealed class InheritedEndPoint(int descriptor, string? name = null) : EndPoint, IEquatable<InheritedEndPoint>
{
    /// <summary>The number of the descriptor in this process.</summary>
    public int Descriptor { get; } = descriptor;

    /// <summary>What it is called in messages.</summary>
    public string? Name { get; } = name;

    /// <summary>Not known before it is listened at.</summary>
    public override AddressFamily AddressFamily => AddressFamily.Unspecified;

    /// <inheritdoc/>
    public bool Equals(InheritedEndPoint? other) => other is not null && other.Descriptor == Descriptor;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as InheritedEndPoint);

    /// <inheritdoc/>
    public override int GetHashCode() => Descriptor;

    /// <inheritdoc/>
    public override string ToString() => Name is null ? $"descriptor {Descriptor}" : $"descriptor {Descriptor} ({Name})";

    /// <summary>The socket, which belongs to the caller.</summary>
    /// <exception cref="SocketException">The descriptor is none of a stream socket that listens. It is left as it was.</exception>
    internal Socket Take()
    {
        // Before it is anybody's: a descriptor that is something else must not be closed with an object of ours.
        if (!OperatingSystem.IsLinux())
        {
            throw new SocketException((int)SocketError.OperationNotSupported, "sockets are inherited on Linux only");
        }

        if (!LibC.TryGetSocketOption(Descriptor, LibC.SO_ACCEPTCONN, out int listens) || listens == 0
            || !LibC.TryGetSocketOption(Descriptor, LibC.SO_TYPE, out int type) || type != LibC.SOCK_STREAM)
        {
            throw new SocketException(
                (int)SocketError.NotSocket, "it is no stream socket that listens (a socket unit of systemd needs ListenStream= and Accept=no)");
        }

        if (LibC.SetDescriptorFlags(Descriptor, LibC.FD_CLOEXEC) != 0)
        {
            throw new SocketException((int)SocketError.Fault, $"it cannot be kept from other programs (error {Marshal.GetLastSystemError()})");
        }

        return new Socket(new SafeSocketHandle(Descriptor, ownsHandle: true));
    }
}
