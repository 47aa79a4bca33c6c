using Broker.Client.Streams;

namespace Broker.Hosting;

/// <summary>The configurable settings of a hosted consumer: the section <c>BrokerConsumers:NAME</c>.</summary>
public sealed class BrokerConsumerSettings
{
    /// <summary>The name of the section that contains the consumers.</summary>
    public const string Section = "BrokerConsumers";

    /// <summary>The name of the stream. It must be set.</summary>
    public string? Stream { get; set; }

    /// <summary>The name of the consumer on the server. Default: the name of the hosted consumer.</summary>
    public string? Consumer { get; set; }

    /// <summary>The name of the client that is used. Null, the default, for the client without a name.</summary>
    public string? Client { get; set; }

    /// <summary>Whether the stream is created at the start. Default: it must exist.</summary>
    public CreationPolicy CreateStream { get; set; }

    /// <summary>
    /// The subjects of a stream that is created. Empty for a stream that <see cref="ConfigureStream"/> configures.
    /// </summary>
    public IList<string> Subjects { get; } = [];

    /// <summary>Whether the consumer is created at the start, as a durable one. Default: it must exist.</summary>
    public CreationPolicy CreateConsumer { get; set; }

    /// <summary>The subjects that a created consumer delivers. Empty for all subjects of the stream.</summary>
    public IList<string> Filters { get; } = [];

    /// <summary>See <see cref="ConsumerConfig.AckWait"/>, for a created consumer.</summary>
    public TimeSpan? AckWait { get; set; }

    /// <summary>See <see cref="ConsumerConfig.MaxDeliver"/>, for a created consumer.</summary>
    public int? MaxDeliver { get; set; }

    /// <summary>
    /// The number of messages that are handled at the same time, from 1 to 256. Default 1: one message after the other.
    /// With more, messages are handled in any order.
    /// </summary>
    public int Concurrency { get; set; } = 1;

    /// <summary>
    /// The largest number of messages that are requested, queued or being handled. Default 1,000. More than
    /// <see cref="Concurrency"/>, unless that is 1.
    /// </summary>
    public int? MaxMessages { get; set; }

    /// <summary>The largest size of the messages that are requested or queued, in bytes. Default 32 MiB.</summary>
    public long? MaxBytes { get; set; }

    /// <summary>See <see cref="ConsumeOptions.ReportProgressEvery"/>.</summary>
    public TimeSpan? ReportProgressEvery { get; set; }

    /// <summary>When a message is acknowledged. Default: when the handler has returned.</summary>
    public AcknowledgePolicy Acknowledge { get; set; }

    /// <summary>The policy after an exception of the handler. Default: the message is delivered again.</summary>
    public ConsumerErrorPolicy OnError { get; set; }

    /// <summary>
    /// The policy for a message that the encoder cannot read. Default: it is given up, because it never becomes
    /// readable.
    /// </summary>
    public ConsumerErrorPolicy OnUnreadable { get; set; } = ConsumerErrorPolicy.Terminate;

    /// <summary>How long the server waits before it delivers a refused message again. Default 5 s.</summary>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Whether a stop gives queued messages back to the server at once, for other programs. Default false: a stop
    /// handles them first, within <c>HostOptions.ShutdownTimeout</c>.
    /// </summary>
    public bool GiveBackOnStop { get; set; }

    internal List<Func<StreamConfig, StreamConfig>> StreamConfigurations { get; } = [];

    internal List<Func<ConsumerConfig, ConsumerConfig>> ConsumerConfigurations { get; } = [];

    /// <summary>Adds a callback for the configuration of a stream that is created.</summary>
    /// <param name="configure">Receives the configuration, and returns the one to use.</param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerConsumerSettings ConfigureStream(Func<StreamConfig, StreamConfig> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        StreamConfigurations.Add(configure);
        return this;
    }

    /// <summary>Adds a callback for the configuration of a consumer that is created.</summary>
    /// <param name="configure">Receives the configuration, and returns the one to use.</param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerConsumerSettings ConfigureConsumer(Func<ConsumerConfig, ConsumerConfig> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        ConsumerConfigurations.Add(configure);
        return this;
    }
}
