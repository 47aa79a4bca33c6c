using Broker.Server;

namespace Broker.Streams;

/// <summary>Checks streams and consumers against the limits of their account.</summary>
internal static class AccountRules
{
    private const long DefaultAckPending = 1000;

    /// <summary>Checks a complete configuration of a stream alone. Returns null if it is valid.</summary>
    internal static ApiError? SizeError(StreamConfig config, AccountStreamLimits limits)
    {
        if (limits.RequiresMaxBytes && config.MaxBytes <= 0)
        {
            return ApiErrors.MaxBytesRequired;
        }

        long? most = config.Storage is StreamRules.Memory ? limits.MaxMemoryStreamBytes : limits.MaxFileStreamBytes;
        return config.MaxBytes > most ? ApiErrors.MaxStreamBytes : null;
    }

    /// <summary>Checks a new stream beside those that the account has. Returns null if there is room.</summary>
    internal static ApiError? RoomError(StreamConfig config, AccountStreamLimits limits, StreamTable streams, StorageQuota? quota)
    {
        if (streams.Count >= limits.MaxStreams)
        {
            return ApiErrors.TooManyStreams;
        }

        // A stream without a size needs room for at least one byte.
        return ConsumersError(config, limits) ?? ReservationError(config, Math.Max(config.MaxBytes, 1), quota);
    }

    /// <summary>Checks the change of a stream. Returns null if there is room.</summary>
    internal static ApiError? ChangeError(StreamConfig before, StreamConfig after, AccountStreamLimits limits, StorageQuota? quota)
        => ConsumersError(after, limits) ?? ReservationError(after, Math.Max(after.MaxBytes, 0) - Math.Max(before.MaxBytes, 0), quota);

    /// <summary>Checks a complete configuration of a consumer. Returns null if it is valid.</summary>
    internal static ApiError? AckPendingError(ConsumerConfig config, AccountStreamLimits limits)
        => config.MaxAckPending > limits.MaxAckPending ? ApiErrors.AckPending(limits.MaxAckPending.Value) : null;

    /// <summary>The limit of a consumer that names none.</summary>
    internal static long AckPendingOf(StreamConfig stream, AccountStreamLimits limits)
        => stream.ConsumerLimits?.MaxAckPending is > 0 and int most ? most : Math.Min(DefaultAckPending, limits.MaxAckPending ?? DefaultAckPending);

    /// <summary>The most consumers that a stream may have; null for no limit.</summary>
    internal static long? MaxConsumersOf(StreamConfig stream, AccountStreamLimits limits)
        => stream.MaxConsumers >= 0 ? Math.Min(stream.MaxConsumers, limits.MaxConsumers ?? long.MaxValue) : limits.MaxConsumers;

    private static ApiError? ConsumersError(StreamConfig config, AccountStreamLimits limits)
        => config.MaxConsumers > limits.MaxConsumers ? ApiErrors.TooManyConsumers : null;

    private static ApiError? ReservationError(StreamConfig config, long more, StorageQuota? quota)
    {
        if (more <= 0 || quota?.CanReserve(more) != false)
        {
            return null;
        }

        return config.Storage is StreamRules.Memory ? ApiErrors.NoMemory : ApiErrors.NoStorage;
    }
}
