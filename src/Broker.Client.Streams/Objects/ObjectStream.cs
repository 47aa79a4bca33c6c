using System.Security.Cryptography;

namespace Broker.Client.Streams;

/// <summary>
/// The content of an object, which is received while it is read. Used by one reader at a time, and disposed by the
/// caller.
/// </summary>
/// <remarks>
/// At most 64 MiB wait in the client; the server keeps the rest until it is read. After a reconnect the content goes on
/// where it was. The read at the end, which returns 0, checks the number of bytes and the digest.
/// </remarks>
public sealed class ObjectStream : Stream
{
    private readonly StreamManager _streams;
    private readonly string _stream;
    private readonly string _subject;
    private readonly PushedMessages _messages;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private ReadOnlyMemory<byte> _chunk;
    private ulong _next = 1;
    private long _read;
    private long _chunks;
    private bool _isChecked;

    internal ObjectStream(StreamManager streams, ConsumerManager consumers, string stream, ObjectInfo info)
    {
        _streams = streams;
        _stream = stream;
        _subject = ObjectNames.ChunksOf(info.Store, info.Id);
        Info = info;
        _messages = new PushedMessages(
            consumers, stream, new ConsumerConfig { FilterSubject = _subject, DeliverPolicy = DeliverPolicy.All, IdleHeartbeat = TimeSpan.FromSeconds(5) });
    }

    /// <summary>The description of the object. For a link, that of its target.</summary>
    public ObjectInfo Info { get; }

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <summary>The size of the content as its description says.</summary>
    public override long Length => Info.Size;

    /// <summary>The number of bytes that were read. It cannot be set.</summary>
    public override long Position
    {
        get => _read - _chunk.Length;
        set => throw new NotSupportedException("The content of an object is read from its beginning to its end only.");
    }

    /// <summary>Reads a part of the content.</summary>
    /// <param name="buffer">The memory for the bytes.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The number of bytes. 0 at the end.</returns>
    /// <exception cref="DamagedObjectException">A part is missing, or the digest is another one.</exception>
    /// <exception cref="NoObjectStoreException">The store was deleted.</exception>
    /// <exception cref="ObjectStoreException">The connection was closed.</exception>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (buffer.IsEmpty)
        {
            return 0;
        }

        while (_chunk.IsEmpty)
        {
            if (_chunks >= Info.Chunks)
            {
                Check();
                return 0;
            }

            await ReadChunkAsync(cancellationToken).ConfigureAwait(false);
        }

        int count = Math.Min(buffer.Length, _chunk.Length);
        _chunk[..count].CopyTo(buffer);
        _chunk = _chunk[count..];
        return count;
    }

    /// <inheritdoc cref="ReadAsync(Memory{byte}, CancellationToken)"/>
    /// <param name="buffer">The array for the bytes.</param>
    /// <param name="offset">The first place in the array.</param>
    /// <param name="count">The largest number of bytes.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <summary>Not supported, because the content comes from a network. Use <c>ReadAsync</c>.</summary>
    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count)
        => throw new NotSupportedException("The content of an object comes from a network: use ReadAsync or CopyToAsync.");

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin)
        => throw new NotSupportedException("The content of an object is read from its beginning to its end only.");

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException("The content of an object cannot be changed. Put the object again.");

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count)
        => throw new NotSupportedException("The content of an object cannot be changed. Put the object again.");

    /// <inheritdoc/>
    public override void Flush()
    {
        // Nothing is written.
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _messages.Dispose();
            _hash.Dispose();
        }

        base.Dispose(disposing);
    }

    private async ValueTask ReadChunkAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            PushedItem item = await NextAsync(cancellationToken).ConfigureAwait(false);
            switch (item.Kind)
            {
                case PushedKind.Message:
                    Take(in item);
                    return;
                case PushedKind.Ended:
                    throw new ObjectStoreException(Info.Store, $"The connection was closed while the object '{Info.Name}' was read: {_read} of {Info.Size} bytes came.");
                case PushedKind.Started when item.Pending == 0:
                    throw Damaged($"{Info.Chunks - _chunks} of its {Info.Chunks} chunks are missing");
                case PushedKind.Idle:
                    await RequireMoreAsync(cancellationToken).ConfigureAwait(false);
                    break;
                default:
                    break;
            }
        }
    }

    private void Take(in PushedItem item)
    {
        _chunk = item.Message.Body;
        _next = item.Place.Sequence + 1;
        _chunks++;
        _read += _chunk.Length;
        _hash.AppendData(_chunk.Span);
        if (_read > Info.Size)
        {
            throw Damaged($"its chunks have more than the {Info.Size} bytes of its description");
        }

        if (_chunks < Info.Chunks && item.Pending == 0)
        {
            throw Damaged($"{Info.Chunks - _chunks} of its {Info.Chunks} chunks are missing");
        }
    }

    // Chunks that were removed meanwhile never come, and the server does not tell it.
    private async Task RequireMoreAsync(CancellationToken cancellationToken)
    {
        var request = new GetMessageRequest { Sequence = _next, NextOf = _subject };
        if (await _streams.FindMessageAsync(_stream, request, direct: false, cancellationToken).ConfigureAwait(false) is null)
        {
            throw Damaged($"{Info.Chunks - _chunks} of its {Info.Chunks} chunks are missing");
        }
    }

    private async ValueTask<PushedItem> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _messages.NextAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            throw new NoObjectStoreException(Info.Store, e);
        }
    }

    private void Check()
    {
        if (_isChecked)
        {
            return;
        }

        if (_read != Info.Size)
        {
            throw Damaged($"its chunks have {_read} bytes, but its description says {Info.Size}");
        }

        if (Info.Digest is { } digest && !ObjectDigest.IsOf(digest, _hash.GetCurrentHash()))
        {
            throw Damaged($"its content does not have the digest '{digest}'");
        }

        _isChecked = true;
    }

    private DamagedObjectException Damaged(string problem) => new(Info.Store, Info.Name, problem);
}
