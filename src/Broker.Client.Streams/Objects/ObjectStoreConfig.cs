namespace Broker.Client.Streams;

/// <summary>Converts the options of an object store to the configuration of its stream.</summary>
internal static class ObjectStoreConfig
{
    private static readonly TimeSpan LongestDuplicateWindow = TimeSpan.FromMinutes(2);

    /// <exception cref="ArgumentException">An option is not valid.</exception>
    internal static StreamConfig ToStream(ObjectStoreOptions options)
    {
        Validate(options);
        bool hasLife = options.TimeToLive > TimeSpan.Zero;
        return new StreamConfig
        {
            Name = ObjectNames.StreamOf(options.Name),
            Description = options.Description,
            Subjects = [ObjectNames.ChunksOf(options.Name, ">"), ObjectNames.AllInfosOf(options.Name)],
            MaxBytes = options.MaxBytes,
            MaxAge = options.TimeToLive,
            DuplicateWindow = hasLife && options.TimeToLive < LongestDuplicateWindow ? options.TimeToLive : LongestDuplicateWindow,
            Storage = options.Storage,
            Replicas = options.Replicas,
            Compression = options.Compression,
            Placement = options.Placement,
            Discard = DiscardPolicy.New,
            AllowRollup = true,
            AllowDirect = true,
            Metadata = options.Metadata,
        };
    }

    private static void Validate(ObjectStoreOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ObjectNames.RequireStore(options.Name, nameof(options));
        Require(options.TimeToLive >= TimeSpan.Zero, nameof(options.TimeToLive), options.TimeToLive, "zero or positive");
        Require(options.MaxBytes is -1 or > 0, nameof(options.MaxBytes), options.MaxBytes, "positive, or -1 for no limit");
        Require(options.Replicas is >= 1 and <= 5, nameof(options.Replicas), options.Replicas, "from 1 to 5");
    }

    private static void Require(bool holds, string option, object value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
