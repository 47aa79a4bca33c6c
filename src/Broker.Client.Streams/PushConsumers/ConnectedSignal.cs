namespace Broker.Client.Streams;

/// <summary>Waits until a connection has a server, or is closed.</summary>
internal sealed class ConnectedSignal : IDisposable
{
    private readonly BrokerConnection _connection;
    private TaskCompletionSource _changed = NewSource();

    internal ConnectedSignal(BrokerConnection connection)
    {
        _connection = connection;
        connection.StateChanged += OnStateChanged;
    }

    internal async Task WaitAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            // The source is read before the state, so that no change between the two is missed.
            Task changed = Volatile.Read(ref _changed).Task;
            if (_connection.State is ConnectionState.Connected or ConnectionState.Closed)
            {
                return;
            }

            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _connection.StateChanged -= OnStateChanged;

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void OnStateChanged(BrokerConnection connection, ConnectionState state) => Interlocked.Exchange(ref _changed, NewSource()).TrySetResult();
}
