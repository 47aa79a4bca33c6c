namespace NetMQ;

/// <summary>An asynchronous receive that waits for its message on the thread of a runtime.</summary>
/// <typeparam name="T">The type of the result.</typeparam>
internal sealed class PendingReceive<T>
{
    private readonly TaskCompletionSource<T> _result = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly NetMQRuntime _runtime;
    private readonly NetMQSocket _socket;
    private readonly TryTake _take;
    private readonly CancellationTokenRegistration _cancellation;

    private PendingReceive(NetMQRuntime runtime, NetMQSocket socket, TryTake take, CancellationToken cancellation)
    {
        _runtime = runtime;
        _socket = socket;
        _take = take;
        socket.ReceiveReady += OnReady;
        runtime.Watch(socket);
        _cancellation = cancellation.Register(() => runtime.Post(() => Cancel(cancellation)));
    }

    /// <summary>Takes a result from a socket. Returns false if there is no message.</summary>
    internal delegate bool TryTake(NetMQSocket socket, out T result);

    /// <summary>Takes a result now, or when there is a message.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    internal static Task<T> Start(NetMQSocket socket, TryTake take, CancellationToken cancellation)
    {
        NetMQRuntime runtime = NetMQRuntime.Current;
        if (cancellation.IsCancellationRequested)
        {
            return Task.FromCanceled<T>(cancellation);
        }

        return take(socket, out T result)
            ? Task.FromResult(result)
            : new PendingReceive<T>(runtime, socket, take, cancellation)._result.Task;
    }

    private void OnReady(object? sender, NetMQSocketEventArgs e)
    {
        try
        {
            if (_take(_socket, out T result))
            {
                Detach();
                _result.TrySetResult(result);
            }
        }
#pragma warning disable CA1031 // Every failure belongs to the caller who waits for the task.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            Detach();
            _result.TrySetException(failure);
        }
    }

    private void Cancel(CancellationToken cancellation)
    {
        if (_result.TrySetCanceled(cancellation))
        {
            Detach();
        }
    }

    private void Detach()
    {
        _cancellation.Unregister();
        _socket.ReceiveReady -= OnReady;
        if (_socket.Wanted == PollEvents.None && !_socket.IsDisposed)
        {
            _runtime.Unwatch(_socket);
        }
    }
}
