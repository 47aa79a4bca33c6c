using System.Text.Json;

namespace Broker.Client.Streams;

/// <summary>
/// An object store of a NATS system: contents of any size, which are divided into messages. Thread-safe.
/// </summary>
/// <remarks>
/// <para>The name of an object is any text of 1 to 1,024 characters.</para>
/// <para>A store may be used for as long as the <see cref="StreamsClient"/> that returned it. Requests fail as those of
/// the client do, and with <see cref="NoObjectStoreException"/> if the store was deleted meanwhile.</para>
/// </remarks>
public sealed partial class ObjectStore
{
    private readonly ObjectStoreManager _manager;
    private readonly string _stream;
    private readonly bool _direct;

    internal ObjectStore(ObjectStoreManager manager, string name, bool direct)
    {
        _manager = manager;
        _stream = ObjectNames.StreamOf(name);
        _direct = direct;
        Name = name;
    }

    /// <summary>The name of the store.</summary>
    public string Name { get; }

    /// <summary>Returns the options and the contents of the store.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public async Task<ObjectStoreStatus> GetStatusAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return new ObjectStoreStatus(await _manager.Streams.GetAsync(_stream, null, cancellationToken).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoObjectStoreException(Name, e);
        }
    }

    /// <summary>Makes the store read-only. It cannot be undone.</summary>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public async Task SealAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            StreamInfo stream = await _manager.Streams.GetAsync(_stream, null, cancellationToken).ConfigureAwait(false);
            await _manager.Streams.UpdateAsync(stream.Config with { Sealed = true }, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoObjectStoreException(Name, e);
        }
    }

    /// <summary>Returns the description of an object. A link is not followed.</summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoObjectException">There is no such object, or it was deleted.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public async Task<ObjectInfo> GetInfoAsync(string name, CancellationToken cancellationToken = default)
        => await FindInfoAsync(name, cancellationToken).ConfigureAwait(false) ?? throw new NoObjectException(Name, name);

    /// <summary>
    /// Returns the description of an object. Returns null if it was never put, and if it was deleted. A link is not
    /// followed.
    /// </summary>
    /// <param name="name">The name of the object.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    public async Task<ObjectInfo?> FindInfoAsync(string name, CancellationToken cancellationToken = default)
        => await FindLastAsync(name, _direct, cancellationToken).ConfigureAwait(false) is { IsDeleted: false } info ? info : null;

    /// <summary>Returns the description of an object, also of a deleted one. Returns null if there is none.</summary>
    private async Task<ObjectInfo?> FindLastAsync(string name, bool direct, CancellationToken cancellationToken)
    {
        ObjectNames.RequireObject(name, nameof(name));
        var request = new GetMessageRequest { LastOf = ObjectNames.InfoOf(Name, name) };
        try
        {
            StoredMessage? stored = await _manager.Streams.FindMessageOrAskLeaderAsync(_stream, request, direct, cancellationToken).ConfigureAwait(false);
            return stored is null ? null : Read(stored.Subject, stored.Body.Span, stored.Sequence, stored.Time);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoObjectStoreException(Name, e);
        }
    }

    private ObjectInfo Read(string subject, ReadOnlySpan<byte> body, ulong sequence, DateTimeOffset time)
    {
        try
        {
            ObjectMeta? meta = JsonSerializer.Deserialize(body, ObjectsJson.Default.ObjectMeta);
            if (meta is { Name.Length: > 0, Size: >= 0, Chunks: >= 0 })
            {
                return new ObjectInfo(Name, meta, sequence, time);
            }
        }
        catch (JsonException)
        {
            // The error below names the place.
        }

        throw new ObjectStoreException(
            Name, $"The message {sequence} of the store '{Name}' ('{subject}') is not a valid description of an object. Another program wrote it: delete it.");
    }
}
