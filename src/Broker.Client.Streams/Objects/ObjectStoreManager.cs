using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

/// <summary>Creates, finds and deletes object stores.</summary>
internal sealed class ObjectStoreManager(StreamsApi api, StreamManager streams, ConsumerManager consumers, AckedPublisher publisher)
{
    internal StreamsApi Api => api;

    internal StreamManager Streams => streams;

    internal ConsumerManager Consumers => consumers;

    internal AckedPublisher Publisher => publisher;

    internal async Task<ObjectStore> CreateAsync(ObjectStoreOptions options, bool orUpdate, CancellationToken cancellationToken)
    {
        StreamConfig config = ObjectStoreConfig.ToStream(options);
        try
        {
            return Open(await (orUpdate ? streams.CreateOrUpdateAsync(config, cancellationToken) : streams.CreateAsync(config, cancellationToken)).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNameInUse)
        {
            throw new ObjectStoreException(
                options.Name,
                $"The object store '{options.Name}' exists with other options. Use GetObjectStoreAsync to use it as it is, or CreateOrUpdateObjectStoreAsync to change it.",
                e);
        }
    }

    internal async Task<ObjectStore?> FindAsync(string store, CancellationToken cancellationToken)
    {
        ObjectNames.RequireStore(store, nameof(store));
        try
        {
            return Open(await streams.GetAsync(ObjectNames.StreamOf(store), null, cancellationToken).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return null;
        }
    }

    internal async Task<bool> DeleteAsync(string store, CancellationToken cancellationToken)
    {
        ObjectNames.RequireStore(store, nameof(store));
        try
        {
            return (await streams.DeleteAsync(ObjectNames.StreamOf(store), cancellationToken).ConfigureAwait(false)).Success;
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return false;
        }
    }

    internal async IAsyncEnumerable<ObjectStoreStatus> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (StreamInfo stream in streams.ListAsync("$O.*.M.>", cancellationToken).ConfigureAwait(false))
        {
            if (ObjectNames.IsStream(stream.Config.Name))
            {
                yield return new ObjectStoreStatus(stream);
            }
        }
    }

    internal async IAsyncEnumerable<string> ListNamesAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (string stream in streams.ListNamesAsync("$O.*.M.>", cancellationToken).ConfigureAwait(false))
        {
            if (ObjectNames.IsStream(stream))
            {
                yield return ObjectNames.StoreOf(stream);
            }
        }
    }

    private ObjectStore Open(StreamInfo stream) => new(this, ObjectNames.StoreOf(stream.Config.Name), stream.Config.AllowDirect);
}
