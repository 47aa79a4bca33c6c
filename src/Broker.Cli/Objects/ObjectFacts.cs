using System.Text.Json;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Objects;

/// <summary>Describes object stores and objects to a reader and to a script.</summary>
internal static class ObjectFacts
{
    public static Facts Of(ObjectStoreStatus store)
    {
        Facts facts = new Facts()
            .Add("store", store.Name)
            .Add("description", store.Description)
            .Add("ttl", ValueText.Limit(store.TimeToLive))
            .Add("max-bucket-size", ValueText.LimitOfBytes(store.MaxBytes))
            .Add("storage", StreamNames.Of(store.Storage))
            .Add("compression", store.Compression == StreamCompression.None ? null : StreamNames.Of(store.Compression))
            .Add("replicas", store.Replicas)
            .Add("read-only", store.IsSealed)
            .Add("bytes", ValueText.Bytes(store.Bytes))
            .Add("created", store.Stream.Created);
        StreamFacts.AddServers(facts, store.Stream.Cluster);
        return facts;
    }

    public static Facts Of(ObjectInfo item) => new Facts()
        .Add("store", item.Store)
        .Add("object", item.Name)
        .Add("description", item.Description)
        .Add("link to", item.Link is { } link ? $"{link.Store}/{link.Name}" : null)
        .Add("size", item.Link is null ? $"{ValueText.Bytes((ulong)item.Size)} ({ValueText.Count(item.Size, "byte", "bytes")})" : null)
        .Add("chunks", item.Chunks)
        .Add("digest", item.Digest)
        .Add("modified", item.Modified);

    public static void Write(Utf8JsonWriter json, ObjectStoreStatus store)
    {
        json.Add("bucket", store.Name);
        json.Add("description", store.Description);
        json.Add("ttl", store.TimeToLive);
        json.Add("max_bytes", store.MaxBytes);
        json.Add("storage", StreamNames.Of(store.Storage));
        json.Add("compression", StreamNames.Of(store.Compression));
        json.Add("replicas", store.Replicas);
        json.Add("sealed", store.IsSealed);
        json.Add("bytes", store.Bytes);
        json.Add("created", store.Stream.Created);
    }

    public static void Write(Utf8JsonWriter json, ObjectInfo item)
    {
        json.Add("bucket", item.Store);
        json.Add("name", item.Name);
        json.Add("description", item.Description);
        if (item.Link is { } link)
        {
            json.AddObject("link", inner =>
            {
                inner.Add("bucket", link.Store);
                inner.Add("name", link.Name);
            });
        }

        json.Add("size", item.Size);
        json.Add("chunks", item.Chunks);
        json.Add("digest", item.Digest);
        json.Add("mtime", item.Modified);
    }
}
