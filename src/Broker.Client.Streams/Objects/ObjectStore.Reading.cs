using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

public sealed partial class ObjectStore
{
    /// <summary>Begins to read an object. A link to another object is followed.</summary>
    /// <remarks>
    /// The last read, which returns 0, throws <see cref="DamagedObjectException"/> if the content is incomplete or has
    /// another digest. Do not rely on the content before this read.
    /// </remarks>
    /// <param name="name">The name of the object.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The content, which the caller disposes.</returns>
    /// <exception cref="NoObjectException">There is no such object, or it was deleted.</exception>
    /// <exception cref="NoObjectStoreException">The store, or that of the link's target, was deleted.</exception>
    /// <exception cref="ObjectStoreException">The object is a link to a whole store, or to another link.</exception>
    public async Task<ObjectStream> OpenAsync(string name, CancellationToken cancellationToken = default)
    {
        ObjectInfo info = await GetInfoAsync(name, cancellationToken).ConfigureAwait(false);
        if (info.Link is not { } link)
        {
            return Open(info);
        }

        ObjectStore store = string.Equals(link.Store, Name, StringComparison.Ordinal)
            ? this
            : await _manager.FindAsync(link.Store, cancellationToken).ConfigureAwait(false) ?? throw new NoObjectStoreException(link.Store, null);
        if (link.Name is null)
        {
            throw new ObjectStoreException(
                Name, $"The object '{name}' of the store '{Name}' has no content: it is a link to the store '{link.Store}'. Use GetObjectStoreAsync to open that store.");
        }

        ObjectInfo target = await store.GetInfoAsync(link.Name, cancellationToken).ConfigureAwait(false);
        return target.Link is null
            ? store.Open(target)
            : throw new ObjectStoreException(
                Name, $"The object '{name}' of the store '{Name}' is a link to '{link.Store}/{link.Name}', which is a link too. Link to the object itself.");
    }

    /// <summary>Writes the content of an object to a stream. A link to another object is followed.</summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="destination">The stream. It may have a part of the content if the method throws.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The description of the object.</returns>
    /// <exception cref="DamagedObjectException">The content is incomplete or has another digest.</exception>
    /// <inheritdoc cref="OpenAsync"/>
    public async Task<ObjectInfo> GetAsync(string name, Stream destination, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        ObjectStream content = await OpenAsync(name, cancellationToken).ConfigureAwait(false);
        await using (content.ConfigureAwait(false))
        {
            await content.CopyToAsync(destination, cancellationToken).ConfigureAwait(false);
            return content.Info;
        }
    }

    /// <summary>Returns the content of an object. A link to another object is followed.</summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <exception cref="DamagedObjectException">The content is incomplete or has another digest.</exception>
    /// <inheritdoc cref="OpenAsync"/>
    /// <returns>The content.</returns>
    public async Task<byte[]> GetBytesAsync(string name, CancellationToken cancellationToken = default)
    {
        // The memory grows with the received bytes, because the described size is only what another program wrote.
        using var content = new MemoryStream();
        await GetAsync(name, content, cancellationToken).ConfigureAwait(false);
        return content.ToArray();
    }

    /// <summary>Returns the descriptions of the objects. Deleted ones are left out.</summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="StreamException">The server refused the request.</exception>
    public async IAsyncEnumerable<ObjectInfo> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (ObjectUpdate update in WatchAsync(new ObjectWatchOptions { IgnoreDeletes = true }, cancellationToken).ConfigureAwait(false))
        {
            if (update.Info is not { } info)
            {
                yield break;
            }

            yield return info;
        }
    }

    /// <summary>
    /// Returns the description of each object, then once <see cref="ObjectUpdate.IsInitialSetComplete"/>, and then each
    /// change, until the enumeration is left or the token is cancelled.
    /// </summary>
    /// <remarks>
    /// After a reconnect the watch goes on behind the last change. Of an object that changed more than once meanwhile,
    /// only the last description is returned, because the store keeps no other. The enumeration ends without an error
    /// if the connection is closed or drained.
    /// </remarks>
    /// <param name="options">Where the watch begins, and what it returns. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="StreamException">The server refused the watch.</exception>
    /// <exception cref="ConnectionLostException">The connection gave up reconnecting.</exception>
    /// <exception cref="ArgumentException">An option is not valid.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public IAsyncEnumerable<ObjectUpdate> WatchAsync(ObjectWatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= ObjectWatchOptions.Default;
        options.Validate();
        return WatchInfosAsync(options, cancellationToken);
    }

    private ObjectStream Open(ObjectInfo info) => new(_manager.Streams, _manager.Consumers, _stream, info);

    private async IAsyncEnumerable<ObjectUpdate> WatchInfosAsync(ObjectWatchOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var consumer = new ConsumerConfig
        {
            FilterSubject = ObjectNames.AllInfosOf(Name),
            DeliverPolicy = options.UpdatesOnly ? DeliverPolicy.New : DeliverPolicy.LastPerSubject,
            IdleHeartbeat = options.IdleHeartbeat,
        };
        using var messages = new PushedMessages(_manager.Consumers, _stream, consumer);
        var initial = new InitialSet();
        while (true)
        {
            PushedItem item = await NextAsync(messages, cancellationToken).ConfigureAwait(false);
            if (item.Kind == PushedKind.Ended)
            {
                yield break;
            }

            if (item.Kind == PushedKind.Message)
            {
                ObjectInfo info = Read(item.Message.Subject, item.Message.Body.Span, item.Place.Sequence, item.Place.Time);
                if (!(options.IgnoreDeletes && info.IsDeleted))
                {
                    yield return new ObjectUpdate(info);
                }
            }

            if (initial.CompletesWith(in item))
            {
                yield return default;
            }
        }
    }

    private async ValueTask<PushedItem> NextAsync(PushedMessages messages, CancellationToken cancellationToken)
    {
        try
        {
            return await messages.NextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoObjectStoreException(Name, e);
        }
    }
}
