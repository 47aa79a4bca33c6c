namespace NetMQ;

/// <summary>Calls of a thread-safe socket that block.</summary>
public static class ThreadSafeSocketExtensions
{
    /// <summary>Sends a message, and waits until there is room. It is empty afterwards.</summary>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public static void Send(this IThreadSafeSocket socket, ref Msg msg)
    {
        ArgumentNullException.ThrowIfNull(socket);
        bool isSent = socket.TrySend(ref msg, SendReceiveConstants.InfiniteTimeout);
        ObjectDisposedException.ThrowIf(!isSent, socket);
    }

    /// <summary>Receives a message into an initialised one, and waits until there is one.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public static void Receive(
        this IThreadSafeSocket socket, ref Msg msg, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(socket);
        bool isReceived = socket.TryReceive(ref msg, SendReceiveConstants.InfiniteTimeout, cancellationToken);
        if (!isReceived)
        {
            cancellationToken.ThrowIfCancellationRequested();
        }

        ObjectDisposedException.ThrowIf(!isReceived, socket);
    }
}
