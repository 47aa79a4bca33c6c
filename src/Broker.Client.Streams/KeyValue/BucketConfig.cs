namespace Broker.Client.Streams;

/// <summary>Converts the options of a bucket to the configuration of its stream.</summary>
internal static class BucketConfig
{
    private static readonly TimeSpan LongestDuplicateWindow = TimeSpan.FromMinutes(2);

    /// <exception cref="ArgumentException">An option is not valid.</exception>
    internal static StreamConfig ToStream(BucketOptions options)
    {
        Validate(options);
        string name = BucketNames.StreamOf(options.Name);
        bool hasLife = options.TimeToLive > TimeSpan.Zero;
        return new StreamConfig
        {
            Name = name,
            Description = options.Description,
            Subjects = options.Mirror is null ? [BucketNames.SubjectsOf(options.Name) + ">"] : null,
            MaxMessagesPerSubject = options.History,
            MaxBytes = options.MaxBytes,
            MaxMessageSize = options.MaxValueSize,
            MaxAge = options.TimeToLive,
            DuplicateWindow = hasLife && options.TimeToLive < LongestDuplicateWindow ? options.TimeToLive : LongestDuplicateWindow,
            Storage = options.Storage,
            Replicas = options.Replicas,
            Compression = options.Compression,
            Placement = options.Placement,
            Republish = options.Republish,
            Discard = DiscardPolicy.New,
            AllowRollup = true,
            DenyDelete = true,
            AllowDirect = true,
            MirrorDirect = options.Mirror is not null,
            AllowMessageTimeToLive = options.AllowKeyTimeToLive || options.DeleteMarkerTimeToLive > TimeSpan.Zero,
            DeleteMarkerTimeToLive = options.DeleteMarkerTimeToLive,
            Mirror = options.Mirror is { } mirror ? mirror with { Name = BucketNames.StreamOf(mirror.Name) } : null,
            Sources = options.Sources?.Select(source => ToSource(source, options.Name)).ToArray(),
            Metadata = options.Metadata,
        };
    }

    // The subjects of a bucket contain its name, so those of another bucket must change.
    private static StreamSource ToSource(StreamSource source, string bucket)
    {
        StreamSource named = source with { Name = BucketNames.StreamOf(source.Name) };
        string original = BucketNames.BucketOf(named.Name);
        return source.SubjectTransforms is not null || string.Equals(original, bucket, StringComparison.Ordinal)
            ? named
            : named with
            {
                SubjectTransforms =
                [
                    new SubjectTransform { Source = BucketNames.SubjectsOf(original) + ">", Destination = BucketNames.SubjectsOf(bucket) + ">" },
                ],
            };
    }

    private static void Validate(BucketOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        BucketNames.Require(options.Name, nameof(options));
        Require(options.History is >= 1 and <= BucketOptions.MaxHistory, nameof(options.History), options.History, "from 1 to 64");
        Require(options.TimeToLive >= TimeSpan.Zero, nameof(options.TimeToLive), options.TimeToLive, "zero or positive");
        Require(
            options.DeleteMarkerTimeToLive == TimeSpan.Zero || options.DeleteMarkerTimeToLive >= TimeSpan.FromSeconds(1),
            nameof(options.DeleteMarkerTimeToLive), options.DeleteMarkerTimeToLive, "zero or at least 1 s");
        Require(options.MaxValueSize is -1 or > 0, nameof(options.MaxValueSize), options.MaxValueSize, "positive, or -1 for no limit");
        Require(options.MaxBytes is -1 or > 0, nameof(options.MaxBytes), options.MaxBytes, "positive, or -1 for no limit");
        Require(options.Replicas is >= 1 and <= 5, nameof(options.Replicas), options.Replicas, "from 1 to 5");
        if (options is { Mirror: not null, Sources: not null })
        {
            throw new ArgumentException("Mirror and Sources exclude each other: a mirror has the values of one bucket only.", nameof(options));
        }
    }

    private static void Require(bool holds, string option, object value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
