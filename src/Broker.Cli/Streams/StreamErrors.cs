using Broker.Client;
using Broker.Client.Streams;
using Broker.Hosting;

namespace Broker.Cli.Streams;

/// <summary>The texts of errors about streams, for users who do not know the client's code.</summary>
internal sealed class StreamErrors(StreamsClient streams)
{
    // A list of more names would not help.
    private const int MostShown = 5;
    private const int MostNames = 10_000;

    /// <summary>Returns the text of an error. It may ask the server for the names that exist.</summary>
    public async Task<string> TextOfAsync(StreamException error, CancellationToken stop) => error switch
    {
        StreamsUnavailableException => Unavailable(),
        { Code: StreamErrorCode.StreamsNotEnabled } => "this server has no streams: JetStream is not enabled on it",
        { Code: StreamErrorCode.StreamsNotEnabledForAccount } => "the account of this user has no streams: JetStream is not enabled for it",
        NoKeyException key => $"the bucket {key.Bucket} has no value of the key {key.Key}",
        NoBucketException bucket => await UnknownAsync("bucket", bucket.Bucket, "", streams.ListBucketNamesAsync(stop)),
        BucketException { Code: StreamErrorCode.StreamNameInUse } bucket => $"the bucket {bucket.Bucket} exists with other options; broker kv info shows them",
        NoObjectException item => $"the object store {item.Store} has no object {item.Name}",
        NoObjectStoreException store => await UnknownAsync("object store", store.Store, "", streams.ListObjectStoreNamesAsync(stop)),
        ObjectStoreException { Code: StreamErrorCode.StreamNameInUse } store => $"the object store {store.Store} exists with other options; broker object info shows them",
        WrongRevisionException { ExpectedRevision: 0 } key => $"the key {key.Key} of the bucket {key.Bucket} exists already{Last(key)}; broker kv put replaces its value",
        WrongRevisionException key => $"the key {key.Key} of the bucket {key.Bucket} does not have the revision {key.ExpectedRevision}{Last(key)}",
        { Code: StreamErrorCode.StreamNotFound, Stream: { } stream } => await UnknownAsync("stream", stream, "", streams.ListStreamNamesAsync(null, stop)),
        { Code: StreamErrorCode.ConsumerNotFound or StreamErrorCode.ConsumerDoesNotExist, Stream: { } stream, Consumer: { } consumer }
            => await UnknownAsync("consumer", consumer, $" of the stream {stream}", streams.ListConsumerNamesAsync(stream, stop)),
        { Code: StreamErrorCode.StreamNameInUse, Stream: { } stream } => $"the stream {stream} exists with another configuration; broker stream edit changes it",
        { Code: StreamErrorCode.ConsumerNameInUse or StreamErrorCode.ConsumerExists, Stream: { } stream, Consumer: { } consumer }
            => $"the consumer {consumer} of the stream {stream} exists with another configuration; broker consumer edit changes it",
        { Code: StreamErrorCode.NotStored, Description: { } text } => $"the message was not stored: {text}",
        { Code: not StreamErrorCode.None, Description: { } text } => $"the server refuses it: {text} (code {(int)error.Code})",
        _ => error.Message,
    };

    private static string Last(WrongRevisionException error) => error.ActualRevision is { } revision ? $": its last revision is {revision}" : "";

    private string Unavailable() => streams.Connection.ServerInfo is { JetStream: false }
        ? "this server has no streams: JetStream is not enabled on it, or --js-domain is missing"
        : "no server answers requests about streams: JetStream is not enabled for this account, it is still starting, or --js-domain or --js-api-prefix is wrong";

    private static async Task<string> UnknownAsync(string kind, string name, string place, IAsyncEnumerable<string> existing)
    {
        string text = $"there is no {kind} {name}{place}";
        var names = new List<string>();
        try
        {
            await foreach (string other in existing)
            {
                names.Add(other);
                if (names.Count == MostNames)
                {
                    break;
                }
            }
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            // The user may have no permission to list them.
            return text;
        }

        return Spelling.Nearest(name, names) is { } near ? $"{text}; did you mean {near}?"
            : names.Count == 0 ? $"{text}, and no other {kind}"
            : $"{text}; there {(names.Count == 1 ? "is" : "are")} {string.Join(", ", names.Take(MostShown))}{(names.Count > MostShown ? $" and {names.Count - MostShown} more" : "")}";
    }
}
