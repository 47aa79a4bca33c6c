using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Consumers;

/// <summary>The flags of a consumer's configuration. They have the names of the <c>nats</c> command.</summary>
internal sealed class ConsumerConfigFlags
{
    private readonly Option<string?> _description = new("--description") { Description = "A description for people", HelpName = "text" };
    private readonly Option<string[]> _filter = StorageFlags.List("--filter", "Only messages of these subjects, with wildcards; may be repeated", "subjects");
    private readonly Option<TimeSpan?> _ackWait = StorageFlags.Time("--ack-wait", "How long a message waits for its acknowledgement [default: 30s]");
    private readonly Option<string[]> _backoff = StorageFlags.List("--backoff", "Waits before each further delivery, such as 1s,10s,1m", "times");
    private readonly Option<int?> _maxDeliver = StorageFlags.SmallLimit("--max-deliver", "How often a message is delivered at most");
    private readonly Option<int?> _maxPending = StorageFlags.SmallLimit("--max-pending", "Largest number of messages that wait for their acknowledgement");
    private readonly Option<int?> _maxWaiting = StorageFlags.SmallLimit("--max-waiting", "Largest number of pulls that wait");
    private readonly Option<int?> _maxBatch = StorageFlags.SmallLimit("--max-pull-batch", "Largest number of messages of one pull");
    private readonly Option<string?> _sample = new("--sample") { Description = "Percentage of acknowledgements that the server reports to observers", HelpName = "percent" };
    private readonly Option<TimeSpan?> _threshold = StorageFlags.Time("--inactive-threshold", "How long the server keeps a consumer that nobody uses");
    private readonly Option<bool?> _headersOnly = StorageFlags.Switch("--headers-only", "Deliver only the headers of messages");
    private readonly Option<int?> _replicas = StorageFlags.SmallLimit("--replicas", "Number of servers that keep the consumer");

    public void AddTo(Command command) => command.With(
        _description, _filter, _ackWait, _backoff, _maxDeliver, _maxPending, _maxWaiting, _maxBatch, _sample, _threshold, _headersOnly, _replicas);

    /// <summary>Returns the configuration with what the flags change.</summary>
    /// <exception cref="UsageException">A value is invalid.</exception>
    public ConsumerConfig Over(ConsumerConfig config, ParseResult flags)
    {
        string[] filters = flags.GetValue(_filter) ?? [];
        return config with
        {
            Description = flags.GetValue(_description) ?? config.Description,
            FilterSubject = filters.Length == 0 ? config.FilterSubject : filters.Length == 1 ? filters[0] : null,
            FilterSubjects = filters.Length == 0 ? config.FilterSubjects : filters.Length == 1 ? null : filters,
            AckWait = flags.GetValue(_ackWait) ?? config.AckWait,
            Backoff = flags.GetValue(_backoff) is { Length: > 0 } waits ? [.. waits.Select(Wait)] : config.Backoff,
            MaxDeliver = flags.GetValue(_maxDeliver) ?? config.MaxDeliver,
            MaxAckPending = flags.GetValue(_maxPending) ?? config.MaxAckPending,
            MaxWaiting = flags.GetValue(_maxWaiting) ?? config.MaxWaiting,
            MaxBatch = flags.GetValue(_maxBatch) ?? config.MaxBatch,
            SampleFrequency = flags.GetValue(_sample) ?? config.SampleFrequency,
            InactiveThreshold = flags.GetValue(_threshold) ?? config.InactiveThreshold,
            HeadersOnly = flags.GetValue(_headersOnly) ?? config.HeadersOnly,
            Replicas = flags.GetValue(_replicas) ?? config.Replicas,
        };
    }

    private static TimeSpan Wait(string text) => LongTime.TryParse(text, out TimeSpan wait)
        ? wait
        : throw new UsageException($"--backoff must be times such as 1s,10s,1m, not \"{text}\"");
}
