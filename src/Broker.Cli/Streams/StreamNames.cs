using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>The names of the API for values of streams and consumers.</summary>
internal static class StreamNames
{
    /// <summary>The names of <see cref="StorageType"/>, in its order. The same holds for the others.</summary>
    public static readonly string[] Storages = ["file", "memory"];

    public static readonly string[] Retentions = ["limits", "interest", "workqueue"];

    public static readonly string[] Discards = ["old", "new"];

    public static readonly string[] Compressions = ["none", "s2"];

    public static readonly string[] Acks = ["none", "all", "explicit"];

    public static readonly string[] Replays = ["instant", "original"];

    public static readonly string[] Deliveries = ["all", "last", "new", "by_start_sequence", "by_start_time", "last_per_subject"];

    public static string Of(StorageType value) => Of(Storages, (int)value);

    public static string Of(RetentionPolicy value) => Of(Retentions, (int)value);

    public static string Of(DiscardPolicy value) => Of(Discards, (int)value);

    public static string Of(StreamCompression value) => Of(Compressions, (int)value);

    public static string Of(AckPolicy value) => Of(Acks, (int)value);

    public static string Of(ReplayPolicy value) => Of(Replays, (int)value);

    public static string Of(DeliverPolicy value) => Of(Deliveries, (int)value);

    private static string Of(string[] names, int value) => value < names.Length ? names[value] : "other";
}
