using Broker.Client.Errors;
using Broker.Client.Publishing;

namespace Broker.Client;

// Publishing that waits for room instead of failing.
public sealed partial class BrokerConnection
{
    // Completed when there is room; null while nobody waits.
    private TaskCompletionSource? _room;

    /// <summary>
    /// As <see cref="Publish"/>, waiting for room where as many bytes wait for the server, or are kept for the next one, as may.
    /// Without a server it waits only where messages are kept and the buffer is full. What one caller publishes in this way, waiting
    /// each time, arrives in order. Not on <see cref="Loop"/>, which would wait for itself.
    /// </summary>
    /// <param name="subject">Where to: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">What. Must not change before the task is done.</param>
    /// <param name="replyTo">Where an answer is expected, if one is.</param>
    /// <param name="headers">A complete header block, or nothing.</param>
    /// <param name="cancellationToken">Gives it up while it waits; nothing of it has been accepted then.</param>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are no block.</exception>
    /// <exception cref="PublishRefusedException">It was not accepted, and waiting would not help.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        PublishStatus status = TryPublish(subject, body.Span, replyTo, headers.Span);
        return status < PublishStatus.PendingLimit
            ? ValueTask.CompletedTask
            : new ValueTask(PublishLaterAsync(subject, body, replyTo, headers, cancellationToken));
    }

    private async Task PublishLaterAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        while (true)
        {
            // Taken before the attempt: room that comes between the two must not be missed.
            Task room = RoomAsync();
            PublishStatus status = TryPublish(subject, body.Span, replyTo, headers.Span);
            if (status < PublishStatus.PendingLimit)
            {
                return;
            }

            bool fits = (long)body.Length + headers.Length + (4L * Options.MaxControlLine) < Options.MaxPendingBytes;
            if (status is not (PublishStatus.PendingLimit or PublishStatus.BufferFull) || (!fits && status == PublishStatus.PendingLimit && Waiting() == 0))
            {
                throw new PublishRefusedException(status);
            }

            await room.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private Task RoomAsync()
    {
        lock (_gate)
        {
            return (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    private long Waiting() => _link is { } link ? link.Transport.PendingBytes + link.Transport.ExternalStage.Length : 0;

    private void WakeWriters()
    {
        TaskCompletionSource? room;
        lock (_gate)
        {
            room = _room;
            _room = null;
        }

        room?.TrySetResult();
    }
}
