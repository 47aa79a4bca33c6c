using System.Text.Json;

namespace Broker.Client.Streams;

public sealed partial class ObjectStore
{
    // A description is refused if another program has changed it since it was read. Each refusal is one change of
    // another program, so this limit is never reached by chance.
    private const int MaxAttempts = 100;

    // Room for headers beside a chunk, if the server permits only small messages.
    private const int HeaderRoom = 512;

    private static readonly ReadOnlyMemory<byte> Rollup = "NATS/1.0\r\nNats-Rollup: sub\r\n\r\n"u8.ToArray();

    /// <summary>Puts an object: the content of a stream up to its end. An object of this name is replaced.</summary>
    /// <remarks>
    /// Readers see the earlier object until the whole content is stored. At most 4 MiB of the content are in memory.
    /// The transfer survives a reconnect within <see cref="StreamsOptions.AcknowledgementTimeout"/>. If the server lost
    /// chunks that it had acknowledged, because it was killed before it wrote them to its disk, the put fails with
    /// <see cref="ObjectStoreException"/>. If the put fails, what was stored of the content is removed again, unless no
    /// server is connected. This takes up to 10 s if acknowledgements are missing.
    /// </remarks>
    /// <param name="name">The name of the object.</param>
    /// <param name="content">The content. It is read from its present position to its end, and stays open.</param>
    /// <param name="options">The description, and how the content is divided. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    /// <returns>The description of the object. Its time is that of this machine.</returns>
    /// <exception cref="ArgumentException">The name or an option is not valid.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="ObjectStoreException">Chunks were lost with the server.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The object may be stored or not.</exception>
    /// <exception cref="StreamException">The server refused the content: the store is full or sealed, for
    /// example.</exception>
    public async Task<ObjectInfo> PutAsync(string name, Stream content, PutObjectOptions? options = null, CancellationToken cancellationToken = default)
    {
        ObjectNames.RequireObject(name, nameof(name));
        ArgumentNullException.ThrowIfNull(content);
        options ??= PutObjectOptions.Default;
        options.Validate();
        ObjectMeta meta = await UploadAsync(name, content, options, cancellationToken).ConfigureAwait(false);
        try
        {
            return (await ChangeAsync(name, _ => meta, cancellationToken).ConfigureAwait(false))!;
        }
        catch (Exception e) when (e is not (UnknownOutcomeException or OperationCanceledException))
        {
            // The description was not stored. Otherwise it may be stored, and then the chunks are needed.
            await RemoveChunksAsync(meta.Nuid!).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Puts an object with a content in memory. An object of this name is replaced.</summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="content">The content. It must not change before the task has completed.</param>
    /// <inheritdoc cref="PutAsync(string, Stream, PutObjectOptions?, CancellationToken)"/>
    /// <param name="options">The description, and how the content is divided. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the transfer.</param>
    public async Task<ObjectInfo> PutAsync(
        string name, ReadOnlyMemory<byte> content, PutObjectOptions? options = null, CancellationToken cancellationToken = default)
    {
        using var stream = new MemoryContent(content);
        return await PutAsync(name, stream, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Changes the description of an object, and its name if <see cref="ObjectDetails.Name"/> is another one.
    /// </summary>
    /// <param name="name">The present name of the object.</param>
    /// <param name="details">The new description.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <returns>The new description.</returns>
    /// <exception cref="NoObjectException">There is no such object, or it was deleted.</exception>
    /// <exception cref="ObjectStoreException">An object of the new name exists already.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The description may be changed or
    /// not.</exception>
    public async Task<ObjectInfo> UpdateInfoAsync(string name, ObjectDetails details, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(details);
        ObjectNames.RequireObject(details.Name, nameof(details));
        if (string.Equals(details.Name, name, StringComparison.Ordinal))
        {
            return (await ChangeAsync(
                name, before => before is { IsDeleted: false } ? WithDetails(before.Meta, details) : throw new NoObjectException(Name, name), cancellationToken)
                .ConfigureAwait(false))!;
        }

        ObjectInfo old = await GetInfoAsync(name, cancellationToken).ConfigureAwait(false);
        ObjectMeta meta = WithDetails(old.Meta, details);
        ObjectInfo renamed = (await ChangeAsync(
            details.Name,
            before => before is { IsDeleted: false }
                ? throw new ObjectStoreException(Name, $"The object '{name}' of the store '{Name}' was not renamed: an object '{details.Name}' exists already. Delete it first.")
                : meta,
            cancellationToken).ConfigureAwait(false))!;
        // A later description under the old name is another object.
        var oldName = new PurgeOptions { Subject = ObjectNames.InfoOf(Name, name), BeforeSequence = old.Revision + 1 };
        await _manager.Streams.PurgeAsync(_stream, oldName, cancellationToken).ConfigureAwait(false);
        return renamed;
    }

    /// <summary>Adds an object that is a link to another object, or replaces a link.</summary>
    /// <param name="name">The name of the link.</param>
    /// <param name="target">The description of the object, which may be in another store.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <returns>The description of the link.</returns>
    /// <exception cref="ArgumentException">The name is not valid, or the target is a link or was deleted.</exception>
    /// <exception cref="ObjectStoreException">An object with a content has this name.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public Task<ObjectInfo> AddLinkAsync(string name, ObjectInfo target, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        return target.IsDeleted || target.Link is not null
            ? throw new ArgumentException($"'{target}' cannot be the target of a link: it must be an object with a content.", nameof(target))
            : AddLinkAsync(name, new ObjectMetaLink { Bucket = target.Store, Name = target.Name }, cancellationToken);
    }

    /// <summary>Adds an object that is a link to a whole store, or replaces a link.</summary>
    /// <param name="name">The name of the link.</param>
    /// <param name="target">The store.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <returns>The description of the link.</returns>
    /// <exception cref="ArgumentException">The name is not valid.</exception>
    /// <exception cref="ObjectStoreException">An object with a content has this name.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public Task<ObjectInfo> AddLinkAsync(string name, ObjectStore target, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        return AddLinkAsync(name, new ObjectMetaLink { Bucket = target.Name }, cancellationToken);
    }

    /// <summary>Deletes an object with its content. Watches report it. The target of a link stays.</summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the object nevertheless.</param>
    /// <returns>False if there was no such object.</returns>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The object may be deleted or not.</exception>
    public async Task<bool> DeleteAsync(string name, CancellationToken cancellationToken = default)
        => await ChangeAsync(
            name,
            static before => before is { IsDeleted: false } ? before.Meta with { Deleted = true, Size = 0, Chunks = 0, Digest = null } : null,
            cancellationToken).ConfigureAwait(false) is not null;

    /// <summary>Stores a content, and returns its description, which is not stored yet.</summary>
    private async Task<ObjectMeta> UploadAsync(string name, Stream content, PutObjectOptions options, CancellationToken cancellationToken)
    {
        string id = ConsumerManager.NewName();
        int chunkSize = options.ChunkSize ?? Math.Min(PutObjectOptions.DefaultChunkSize, Math.Max(1, _manager.Api.Connection.MaxPayload - HeaderRoom));
        using var upload = new ObjectUpload(_manager, Name, id, chunkSize);
        try
        {
            await upload.SendAsync(content, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            await RemoveChunksAsync(id).ConfigureAwait(false);
            if (e is NoStreamException)
            {
                throw new NoObjectStoreException(Name, e);
            }

            throw;
        }

        return new ObjectMeta
        {
            Name = name,
            Description = options.Description,
            Headers = options.Headers,
            Metadata = options.Metadata,
            Options = new ObjectMetaOptions { MaxChunkSize = chunkSize },
            Bucket = Name,
            Nuid = id,
            Size = upload.Size,
            Chunks = upload.Chunks,
            Digest = upload.Digest,
        };
    }

    private static ObjectMeta WithDetails(ObjectMeta meta, ObjectDetails details)
        => meta with { Name = details.Name, Description = details.Description, Headers = details.Headers, Metadata = details.Metadata };

    private async Task<ObjectInfo> AddLinkAsync(string name, ObjectMetaLink link, CancellationToken cancellationToken)
    {
        var meta = new ObjectMeta { Name = name, Bucket = Name, Nuid = ConsumerManager.NewName(), Options = new ObjectMetaOptions { Link = link } };
        return (await ChangeAsync(
            name,
            before => before is { IsDeleted: false, Link: null }
                ? throw new ObjectStoreException(Name, $"The link '{name}' of the store '{Name}' was not added: an object of this name has a content. Delete it first.")
                : meta,
            cancellationToken).ConfigureAwait(false))!;
    }

    /// <summary>
    /// Stores a description in place of the last one, and removes the content that has no description any more. Does
    /// nothing and returns null if the change is null.
    /// </summary>
    private async Task<ObjectInfo?> ChangeAsync(string name, Func<ObjectInfo?, ObjectMeta?> change, CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            // The leader knows the last description for certain.
            ObjectInfo? before = await FindLastAsync(name, direct: false, cancellationToken).ConfigureAwait(false);
            if (change(before) is not { } meta)
            {
                return null;
            }

            byte[] body = JsonSerializer.SerializeToUtf8Bytes(meta, ObjectsJson.Default.ObjectMeta);
            var options = new StreamPublishOptions { MessageId = ConsumerManager.NewName(), ExpectedLastSubjectSequence = before?.Revision ?? 0 };
            ulong revision;
            try
            {
                revision = (await _manager.Publisher.PublishAsync(ObjectNames.InfoOf(Name, name), body, in options, Rollup, cancellationToken).ConfigureAwait(false)).Sequence;
            }
            catch (NoStreamException e)
            {
                throw new NoObjectStoreException(Name, e);
            }
            catch (StreamException e) when (
                e.Code is StreamErrorCode.UnexpectedLastSequence or StreamErrorCode.UnexpectedLastSubjectSequence && attempt < MaxAttempts)
            {
                continue;
            }

            if (before is { IsDeleted: false, Link: null } && (meta.Deleted || !string.Equals(before.Id, meta.Nuid, StringComparison.Ordinal)))
            {
                await RemoveChunksAsync(before.Id).ConfigureAwait(false);
            }

            return new ObjectInfo(Name, meta, revision, DateTimeOffset.UtcNow);
        }
    }

    // The object is what its description says, so chunks that cannot be removed only take space.
    private async Task RemoveChunksAsync(string id)
    {
        try
        {
            if (_manager.Api.Connection.State == ConnectionState.Connected)
            {
                await _manager.Streams.PurgeAsync(_stream, new PurgeOptions { Subject = ObjectNames.ChunksOf(Name, id) }, CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is StreamException or ClientException or TimeoutException)
        {
            // They stay.
        }
    }
}
