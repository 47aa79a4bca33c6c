using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace NetMQ;

public static partial class GroupSocketExtensions
{
    /// <summary>Waits for bytes with their group.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (string, byte[]) ReceiveBytes(
        this IGroupInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return (msg.Group, ThreadSafeTransfer.TakeBytes(ref msg));
    }

    /// <summary>Receives bytes with their group if there are some.</summary>
    public static bool TryReceiveBytes(
        this IGroupInSocket socket, [NotNullWhen(true)] out string? group, [NotNullWhen(true)] out byte[]? bytes)
        => TryReceiveBytes(socket, TimeSpan.Zero, out group, out bytes);

    /// <summary>Receives bytes with their group if they come in time.</summary>
    public static bool TryReceiveBytes(
        this IGroupInSocket socket,
        TimeSpan timeout,
        [NotNullWhen(true)] out string? group,
        [NotNullWhen(true)] out byte[]? bytes,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        group = isReceived ? msg.Group : null;
        byte[] taken = ThreadSafeTransfer.TakeBytes(ref msg);
        bytes = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for bytes with their group without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<(string, byte[])> ReceiveBytesAsync(
        this IGroupInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return (msg.Group, ThreadSafeTransfer.TakeBytes(ref msg));
    }

    /// <summary>Receives bytes with their group until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<(string, byte[])> ReceiveBytesAsyncEnumerable(
        this IGroupInSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveBytesAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for a string with its group.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (string, string) ReceiveString(
        this IGroupInSocket socket, CancellationToken cancellationToken = default)
        => ReceiveString(socket, SendReceiveConstants.DefaultEncoding, cancellationToken);

    /// <summary>Waits for a string with its group.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static (string, string) ReceiveString(
        this IGroupInSocket socket, Encoding encoding, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return (msg.Group, ThreadSafeTransfer.TakeString(ref msg, encoding));
    }

    /// <summary>Receives a string with its group if there is one.</summary>
    public static bool TryReceiveString(
        this IGroupInSocket socket, [NotNullWhen(true)] out string? group, [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, out group, out str);

    /// <summary>Receives a string with its group if there is one.</summary>
    public static bool TryReceiveString(
        this IGroupInSocket socket,
        Encoding encoding,
        [NotNullWhen(true)] out string? group,
        [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, encoding, out group, out str);

    /// <summary>Receives a string with its group if it comes in time.</summary>
    public static bool TryReceiveString(
        this IGroupInSocket socket,
        TimeSpan timeout,
        [NotNullWhen(true)] out string? group,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
        => TryReceiveString(
            socket, timeout, SendReceiveConstants.DefaultEncoding, out group, out str, cancellationToken);

    /// <summary>Receives a string with its group if it comes in time.</summary>
    public static bool TryReceiveString(
        this IGroupInSocket socket,
        TimeSpan timeout,
        Encoding encoding,
        [NotNullWhen(true)] out string? group,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        group = isReceived ? msg.Group : null;
        string taken = ThreadSafeTransfer.TakeString(ref msg, encoding);
        str = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for a string with its group without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<(string, string)> ReceiveStringAsync(
        this IGroupInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return (msg.Group, ThreadSafeTransfer.TakeString(ref msg, SendReceiveConstants.DefaultEncoding));
    }

    /// <summary>Receives strings with their groups until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<(string, string)> ReceiveStringAsyncEnumerable(
        this IGroupInSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveStringAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }
}
