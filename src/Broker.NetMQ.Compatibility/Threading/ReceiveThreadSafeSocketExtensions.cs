using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace NetMQ;

/// <summary>Calls of the sockets that receive. Strings are in UTF-8 if no encoding is given.</summary>
public static class ReceiveThreadSafeSocketExtensions
{
    /// <summary>Waits for bytes.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static byte[] ReceiveBytes(this IThreadSafeInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return ThreadSafeTransfer.TakeBytes(ref msg);
    }

    /// <summary>Receives bytes if there are some.</summary>
    public static bool TryReceiveBytes(this IThreadSafeInSocket socket, [NotNullWhen(true)] out byte[]? bytes)
        => TryReceiveBytes(socket, TimeSpan.Zero, out bytes);

    /// <summary>Receives bytes if they come in time.</summary>
    public static bool TryReceiveBytes(
        this IThreadSafeInSocket socket,
        TimeSpan timeout,
        [NotNullWhen(true)] out byte[]? bytes,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        byte[] taken = ThreadSafeTransfer.TakeBytes(ref msg);
        bytes = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for bytes without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<byte[]> ReceiveBytesAsync(
        this IThreadSafeInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return ThreadSafeTransfer.TakeBytes(ref msg);
    }

    /// <summary>Receives bytes until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<byte[]> ReceiveBytesAsyncEnumerable(
        this IThreadSafeInSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveBytesAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for a string.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static string ReceiveString(this IThreadSafeInSocket socket, CancellationToken cancellationToken = default)
        => ReceiveString(socket, SendReceiveConstants.DefaultEncoding, cancellationToken);

    /// <summary>Waits for a string.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static string ReceiveString(
        this IThreadSafeInSocket socket, Encoding encoding, CancellationToken cancellationToken = default)
    {
        Msg msg = ThreadSafeTransfer.Receive(socket, cancellationToken);
        return ThreadSafeTransfer.TakeString(ref msg, encoding);
    }

    /// <summary>Receives a string if there is one.</summary>
    public static bool TryReceiveString(this IThreadSafeInSocket socket, [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, SendReceiveConstants.DefaultEncoding, out str);

    /// <summary>Receives a string if there is one.</summary>
    public static bool TryReceiveString(
        this IThreadSafeInSocket socket, Encoding encoding, [NotNullWhen(true)] out string? str)
        => TryReceiveString(socket, TimeSpan.Zero, encoding, out str);

    /// <summary>Receives a string if it comes in time.</summary>
    public static bool TryReceiveString(
        this IThreadSafeInSocket socket,
        TimeSpan timeout,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
        => TryReceiveString(socket, timeout, SendReceiveConstants.DefaultEncoding, out str, cancellationToken);

    /// <summary>Receives a string if it comes in time.</summary>
    public static bool TryReceiveString(
        this IThreadSafeInSocket socket,
        TimeSpan timeout,
        Encoding encoding,
        [NotNullWhen(true)] out string? str,
        CancellationToken cancellationToken = default)
    {
        bool isReceived = ThreadSafeTransfer.TryReceive(socket, timeout, out Msg msg, cancellationToken);
        string taken = ThreadSafeTransfer.TakeString(ref msg, encoding);
        str = isReceived ? taken : null;
        return isReceived;
    }

    /// <summary>Waits for a string without blocking the thread.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async ValueTask<string> ReceiveStringAsync(
        this IThreadSafeInSocket socket, CancellationToken cancellationToken = default)
    {
        Msg msg = await ThreadSafeTransfer.ReceiveAsync(socket, cancellationToken).ConfigureAwait(false);
        return ThreadSafeTransfer.TakeString(ref msg, SendReceiveConstants.DefaultEncoding);
    }

    /// <summary>Receives strings until the call is cancelled.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    public static async IAsyncEnumerable<string> ReceiveStringAsyncEnumerable(
        this IThreadSafeInSocket socket, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            yield return await ReceiveStringAsync(socket, cancellationToken).ConfigureAwait(false);
        }
    }
}
