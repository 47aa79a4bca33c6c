using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace NetMQ;

public static partial class RoutingIdSocketExtensions
{
    /// <summary>Waits for bytes with the number of their sender.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (uint, byte[]) ReceiveBytes(
        this IRoutingIdSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return (msg.RoutingId, ThreadSafeTransfer.TakeBytes(ref msg));
    }

    /// <summary>Receives bytes with the number of their sender if there are some.</summary>
    public static bool TryReceiveBytes(
        this IRoutingIdSocket socket, out uint routingId, [NotNullWhen(true)] out byte[]? bytes)
        => TryReceiveBytes(socket, TimeSpan.Zero, out routingId, out bytes);

    /// <summary>Receives bytes with the number of their sender if they come in time.</summary>
    public static bool TryReceiveBytes(
        this IRoutingIdSocket socket,
        TimeSpan timeout,
        out uint routingId,
        [NotNullWhen(true)] out byte[]? bytes,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        routingId = msg.RoutingId;
        byte[] taken = ThreadSafeTransfer.TakeBytes(ref msg);
        bytes = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for bytes with the number of their sender without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<(uint, byte[])> ReceiveBytesAsync(
        this IRoutingIdSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return (msg.RoutingId, ThreadSafeTransfer.TakeBytes(ref msg));
    }

    /// <summary>Receives bytes with the number of their sender until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<(uint, byte[])> ReceiveBytesAsyncEnumerable(
        this IRoutingIdSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveBytesAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for a string with the number of its sender.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (uint, string) ReceiveString(
        this IRoutingIdSocket socket, CancellationToken cancellationToken = default)
        => ReceiveString(socket, SendReceiveConstants.DefaultEncoding, cancellationToken);

    /// <summary>Waits for a string with the number of its sender.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (uint, string) ReceiveString(
        this IRoutingIdSocket socket, Encoding encoding, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return (msg.RoutingId, ThreadSafeTransfer.TakeString(ref msg, encoding));
    }

    /// <summary>Receives a string with the number of its sender if there is one.</summary>
    public static bool TryReceiveString(
        this IRoutingIdSocket socket, out uint routingId, [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, out routingId, out str);

    /// <summary>Receives a string with the number of its sender if there is one.</summary>
    public static bool TryReceiveString(
        this IRoutingIdSocket socket, Encoding encoding, out uint routingId, [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, encoding, out routingId, out str);

    /// <summary>Receives a string with the number of its sender if it comes in time.</summary>
    public static bool TryReceiveString(
        this IRoutingIdSocket socket,
        TimeSpan timeout,
        out uint routingId,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
        => TryReceiveString(
            socket, timeout, SendReceiveConstants.DefaultEncoding, out routingId, out str, cancellationToken);

    /// <summary>Receives a string with the number of its sender if it comes in time.</summary>
    public static bool TryReceiveString(
        this IRoutingIdSocket socket,
        TimeSpan timeout,
        Encoding encoding,
        out uint routingId,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        routingId = msg.RoutingId;
        string taken = ThreadSafeTransfer.TakeString(ref msg, encoding);
        str = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for a string with the number of its sender without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<(uint, string)> ReceiveStringAsync(
        this IRoutingIdSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return (msg.RoutingId, ThreadSafeTransfer.TakeString(ref msg, SendReceiveConstants.DefaultEncoding));
    }

    /// <summary>Receives strings with the numbers of their senders until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<(uint, string)> ReceiveStringAsyncEnumerable(
        this IRoutingIdSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveStringAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }
}
