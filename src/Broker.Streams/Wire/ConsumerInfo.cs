namespace Broker.Streams;

/// <summary>The description of a consumer.</summary>
internal sealed class ConsumerInfo : ApiAnswer
{
    public string StreamName { get; init; } = "";

    public string Name { get; init; } = "";

    public DateTime Created { get; init; }

    public ConsumerConfig? Config { get; init; }

    public SequencePair Delivered { get; init; } = new();

    public SequencePair AckFloor { get; init; } = new();

    public int NumAckPending { get; init; }

    public int NumRedelivered { get; init; }

    public int NumWaiting { get; init; }

    public long NumPending { get; init; }

    public bool? PushBound { get; init; }

    public bool? Paused { get; init; }

    /// <summary>In nanoseconds.</summary>
    public long? PauseRemaining { get; init; }

    public DateTime Ts { get; init; }
}
