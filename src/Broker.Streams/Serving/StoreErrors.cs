namespace Broker.Streams;

/// <summary>The errors of the API for what a store refuses.</summary>
internal static class StoreErrors
{
    internal static readonly ApiError MaxMessages = ApiErrors.NotStored("maximum messages exceeded");
    internal static readonly ApiError MaxBytes = ApiErrors.NotStored("maximum bytes exceeded");
    internal static readonly ApiError MaxPerSubject = ApiErrors.NotStored("maximum messages per subject exceeded");

    internal static ApiError Of(StreamDamage damage, string stream)
        => ApiErrors.NotStored($"the stream '{stream}' is damaged: file '{damage.File}', offset {damage.Offset}, sequence {damage.Sequence}");

    internal static ApiError OfFault(string fault, string stream)
        => ApiErrors.NotStored($"the stream '{stream}' has stopped after an error in the broker, which must be restarted: {fault}");

    internal static ApiError Of(StoreOutcome outcome, StreamStore store)
        => ApiErrors.NotStored(
            outcome == StoreOutcome.NoSpace ? "the disk has no space for more messages" : $"a write failed, and the store has stopped: {store.Failure?.Message}");

    internal static ApiError Of(QueueStatus status, StreamStore store, StoredStream? stream) => status switch
    {
        QueueStatus.TooLarge => ApiErrors.TooLarge,
        QueueStatus.Damaged when stream?.Damage is { } damage => Of(damage, stream.Name),
        QueueStatus.Damaged => ApiErrors.NotStored("the store is damaged, and it is not known which streams the damage belongs to"),
        QueueStatus.Full => ApiErrors.NotStored("too many messages wait for the disk"),
        QueueStatus.Stopped => store.Failure is { } failure ? ApiErrors.NotStored($"a write failed, and the store has stopped: {failure.Message}") : ApiErrors.NotStored("the store is closed"),
        _ => ApiErrors.StreamNotFound,
    };
}
