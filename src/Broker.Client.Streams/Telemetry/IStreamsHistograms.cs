namespace Broker.Client.Streams;

/// <summary>The histograms of a meter, for the parts that measure durations.</summary>
internal interface IStreamsHistograms
{
    /// <summary>Whether somebody listens to the durations of publishes. Otherwise the clock is not read.</summary>
    bool MeasuresPublishes { get; }

    /// <summary>Records the time from a publish to its outcome.</summary>
    void RecordPublish(TimeSpan duration, Exception? failure);

    /// <summary>Records the time from the loss of a server to the first sign of a consumer.</summary>
    void RecordSilence(TimeSpan duration);
}
