using System.Threading.Channels;

namespace Broker.Client;

public sealed partial class EncodedConnection
{
    private const string Closed = "The connection is closed.";

    /// <summary>
    /// Binds a channel for sending: publishes the values that are written to the channel until the channel is
    /// completed, and waits if the connection has no space. A value is removed from the channel after the connection
    /// has accepted it. So when the method ends, the values that were not accepted are still in the channel. If the
    /// channel does not support peeking (<see cref="ChannelReader{T}.CanPeek"/>), the current value is lost. No other
    /// code may read from the channel meanwhile.
    /// </summary>
    /// <returns>A task that completes when all values have been accepted. It fails with the error that completed the
    /// channel, or with the first refusal.</returns>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled, possibly while
    /// the method waited for space.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed.</exception>
    /// <exception cref="PublishRefusedException">A value was refused, and waiting would not help.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    public async Task BindSendAsync<T>(string subject, ChannelReader<T> source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        var closed = new CancellationTokenSource();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, closed.Token);

        // The cancellation is asynchronous, so that the code of the channel's owner does not run on the thread that
        // raises the event.
        void OnClosed(BrokerConnection connection) => _ = closed.CancelAsync();
        Connection.Core.Events.Closed += OnClosed;
        try
        {
            if (Connection.State == ConnectionState.Closed)
            {
                // The connection closed before the event handler was added.
                throw new ConnectionLostException(Closed);
            }

            while (await source.WaitToReadAsync(either.Token).ConfigureAwait(false))
            {
                // If the channel can peek, a value is removed only after the publish, so that the owner of the channel
                // keeps values that were not accepted.
                bool peeks = source.CanPeek;
                while (peeks ? source.TryPeek(out T? value) : source.TryRead(out value))
                {
                    await PublishAsync(subject, value, cancellationToken: either.Token).ConfigureAwait(false);
                    if (peeks)
                    {
                        source.TryRead(out _);
                    }
                }
            }
        }
        catch (PublishRefusedException e) when (e.Status == PublishStatus.Closed)
        {
            throw new ConnectionLostException(Closed);
        }
        catch (OperationCanceledException) when (closed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new ConnectionLostException(Closed);
        }
        finally
        {
            Connection.Core.Events.Closed -= OnClosed;
        }
    }
}
