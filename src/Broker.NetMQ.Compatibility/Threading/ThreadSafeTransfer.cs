using System.Text;

namespace NetMQ;

/// <summary>Sends and receives for the extension methods of the thread-safe sockets.</summary>
internal static class ThreadSafeTransfer
{
    /// <summary>Sends a message and closes it.</summary>
    internal static void Send(IThreadSafeSocket socket, Msg msg)
    {
        socket.Send(ref msg);
        msg.Close();
    }

    /// <summary>Sends a message if there is room in time, and closes it.</summary>
    internal static bool TrySend(IThreadSafeSocket socket, TimeSpan timeout, Msg msg)
    {
        bool isSent = socket.TrySend(ref msg, timeout);
        msg.Close();
        return isSent;
    }

    /// <summary>Sends a message without blocking the thread, and closes it.</summary>
    internal static ValueTask SendAsync(IThreadSafeSocket socket, Msg msg)
    {
        if (socket.TrySend(ref msg, TimeSpan.Zero))
        {
            msg.Close();
            return ValueTask.CompletedTask;
        }

        // A socket of another library has no call that waits without a thread.
        return socket is ThreadSafeSocket own
            ? own.SendAsync(msg)
            : new ValueTask(Task.Run(() => Send(socket, msg)));
    }

    /// <summary>Receives a message, which the caller closes.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    internal static Msg Receive(IThreadSafeSocket socket, CancellationToken cancellationToken)
    {
        Msg msg = default;
        msg.InitEmpty();
        socket.Receive(ref msg, cancellationToken);
        return msg;
    }

    /// <summary>Receives a message if there is one in time. The caller closes it in any case.</summary>
    internal static bool TryReceive(
        IThreadSafeSocket socket, TimeSpan timeout, out Msg msg, CancellationToken cancellationToken)
    {
        msg = default;
        msg.InitEmpty();
        return socket.TryReceive(ref msg, timeout, cancellationToken);
    }

    /// <summary>Receives a message without blocking the thread. The caller closes it.</summary>
    /// <exception cref="OperationCanceledException">The call was cancelled.</exception>
    internal static ValueTask<Msg> ReceiveAsync(IThreadSafeSocket socket, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (TryReceive(socket, TimeSpan.Zero, out Msg msg, cancellationToken))
        {
            return ValueTask.FromResult(msg);
        }

        msg.Close();
        return socket is ThreadSafeSocket own
            ? own.ReceiveAsync(cancellationToken)
            : new ValueTask<Msg>(Task.Run(() => Receive(socket, cancellationToken), cancellationToken));
    }

    /// <summary>The first bytes of an array as a message.</summary>
    internal static Msg Of(byte[] data, int length)
    {
        ArgumentNullException.ThrowIfNull(data);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, data.Length);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        Msg msg = default;
        msg.InitGC(data, length);
        return msg;
    }

    /// <summary>A string as a message.</summary>
    internal static Msg Of(string text)
    {
        byte[] data = SendReceiveConstants.DefaultEncoding.GetBytes(text);
        return Of(data, data.Length);
    }

    /// <summary>Returns the bytes of a message and closes it.</summary>
    internal static byte[] TakeBytes(ref Msg msg)
    {
        byte[] bytes = msg.TakeBytes();
        msg.Close();
        return bytes;
    }

    /// <summary>Returns the text of a message and closes it.</summary>
    internal static string TakeString(ref Msg msg, Encoding encoding)
    {
        string text = msg.GetString(encoding);
        msg.Close();
        return text;
    }
}
