using System.Threading.Channels;
using Broker.Client.Publishing;

namespace Broker.Client.Encoded;

public sealed partial class EncodedConnection
{
    private const string Closed = "The connection is closed.";

    /// <summary>
    /// Binds a channel for sending: publishes what is written into it, waiting for room, until it is completed. A value is taken out of the
    /// channel when it has been accepted, so that however this ends what was not accepted is still there, but for the one in hand where the
    /// channel cannot be peeked (<see cref="ChannelReader{T}.CanPeek"/>). Nobody else may read from it meanwhile.
    /// </summary>
    /// <returns>Completes when all has been accepted, or fails with what the channel was completed with or the first refusal.</returns>
    /// <exception cref="OperationCanceledException">Cancelled, also while it waits for room.</exception>
    /// <exception cref="Errors.ConnectionLostException">The connection is closed.</exception>
    /// <exception cref="PublishRefusedException">A value was not accepted, and waiting would not help.</exception>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    public async Task BindSendAsync<T>(string subject, ChannelReader<T> source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        var closed = new CancellationTokenSource();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, closed.Token);

        // Nothing of the reader's program on the thread that tells the end.
        void OnClosed(BrokerConnection connection) => _ = closed.CancelAsync();
        Connection.Closed += OnClosed;
        try
        {
            if (Connection.State == ConnectionState.Closed)
            {
                // Before it was listened to.
                throw new Errors.ConnectionLostException(Closed);
            }

            while (await source.WaitToReadAsync(either.Token).ConfigureAwait(false))
            {
                // Taken out only behind the publish: what is not accepted stays its owner's.
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
            throw new Errors.ConnectionLostException(Closed);
        }
        catch (OperationCanceledException) when (closed.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new Errors.ConnectionLostException(Closed);
        }
        finally
        {
            Connection.Closed -= OnClosed;
        }
    }
}
