namespace Broker.Streams;

/// <summary>Describes consumers for clients and for monitoring.</summary>
internal static class ConsumerDescriptions
{
    /// <summary>Describes a consumer.</summary>
    /// <param name="consumer">The consumer.</param>
    /// <param name="now">The time, in UTC.</param>
    /// <param name="withConfiguration">Whether the configuration is included.</param>
    internal static ConsumerInfo Of(ServedConsumer consumer, DateTime now, bool withConfiguration = true)
    {
        long paused = consumer.PausedUntil;
        return new ConsumerInfo
        {
            StreamName = consumer.Stream.Name,
            Name = consumer.Name,
            Created = consumer.Created,
            Config = withConfiguration ? consumer.Config : null,
            Delivered = new SequencePair
            {
                ConsumerSeq = consumer.Progress.Deliveries,
                StreamSeq = consumer.Progress.Delivered,
                LastActive = TimeOf(consumer.LastDelivery),
            },
            AckFloor = new SequencePair
            {
                ConsumerSeq = consumer.Progress.DeliveryFloor,
                StreamSeq = consumer.Progress.Floor,
                LastActive = TimeOf(consumer.LastAcknowledgement),
            },
            NumAckPending = consumer.Progress.Pending.Count,
            NumRedelivered = consumer.Redelivered,
            NumWaiting = consumer.Waiting,
            NumPending = consumer.Undelivered,
            PushBound = consumer.IsBound ? true : null,
            Paused = paused == 0 ? null : true,
            PauseRemaining = paused == 0 ? null : (paused - now.Ticks) * TimeSpan.NanosecondsPerTick,
            Ts = now,
        };
    }

    private static DateTime? TimeOf(long ticks) => ticks == 0 ? null : new DateTime(ticks, DateTimeKind.Utc);
}
