using Broker.Client.Streams;

namespace Broker.Hosting;

/// <summary>
/// The configurable settings of a <see cref="StreamsClient"/> in a host: the section <c>BrokerStreams</c>, or
/// <c>BrokerStreamsByClient:NAME</c> for that of a client with a name. Settings without a value use the defaults of
/// <see cref="StreamsOptions"/>.
/// </summary>
public sealed class BrokerStreamsSettings
{
    /// <summary>The name of the section for the streams of the client without a name.</summary>
    public const string Section = "BrokerStreams";

    /// <summary>The name of the section that contains the settings for clients with names.</summary>
    public const string NamedSection = "BrokerStreamsByClient";

    /// <summary>See <see cref="StreamsOptions.Domain"/>.</summary>
    public string? Domain { get; set; }

    /// <summary>See <see cref="StreamsOptions.ApiPrefix"/>.</summary>
    public string? ApiPrefix { get; set; }

    /// <summary>See <see cref="StreamsOptions.RequestTimeout"/>.</summary>
    public TimeSpan? RequestTimeout { get; set; }

    /// <summary>See <see cref="StreamsOptions.AcknowledgementTimeout"/>.</summary>
    public TimeSpan? AcknowledgementTimeout { get; set; }

    /// <summary>See <see cref="StreamsOptions.MaxPublishesInFlight"/>.</summary>
    public int? MaxPublishesInFlight { get; set; }

    /// <summary>See <see cref="StreamsOptions.MaxPublishBytesInFlight"/>.</summary>
    public long? MaxPublishBytesInFlight { get; set; }

    /// <summary>
    /// See <see cref="StreamsOptions.Tracing"/>. The handling of each message by a hosted consumer is a span then.
    /// </summary>
    public bool Tracing { get; set; }

    internal List<Func<StreamsOptions, StreamsOptions>> Configurations { get; } = [];

    /// <summary>Adds a callback that sets options which the configuration cannot set.</summary>
    /// <param name="configure">
    /// Receives the options after the other settings were applied, and returns the options to use.
    /// </param>
    /// <returns>The same settings, for chained calls.</returns>
    public BrokerStreamsSettings Configure(Func<StreamsOptions, StreamsOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Configurations.Add(configure);
        return this;
    }
}
