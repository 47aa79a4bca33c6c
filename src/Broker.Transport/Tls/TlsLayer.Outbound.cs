namespace Broker.Transport;

// When SslStream gets plain bytes, it writes the ciphertext to its stream within the same call.
internal sealed partial class TlsLayer
{
    // The most bytes that a record adds to its content: the overhead of RFC 5246 section 6.2.3, and the margin that
    // implementations leave.
    private const int RecordOverhead = 128;

    private int _expected;
    private EventLoop? _loop;
    private volatile int _encryptingThread = -1;

    internal override bool HasCloseNotify => true;

    /// <summary>Appends the close_notify alert to the ciphertext. The caller has the right to send.</summary>
    internal override void EncryptCloseNotify(EventLoop loop)
    {
        BeginEncrypting(loop);
        try
        {
            Task shutdown = _ssl.ShutdownAsync();
            if (shutdown.IsCompleted)
            {
                shutdown.GetAwaiter().GetResult();
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The peer then sees only the end of the stream, without close_notify.
            Fault ??= e;
        }
        finally
        {
            _encryptingThread = -1;
        }
    }

    /// <summary>
    /// Called when SslStream has ciphertext to send: of bytes that it has encrypted, or of the TLS protocol itself.
    /// </summary>
    internal void Emit(ReadOnlySpan<byte> bytes)
    {
        if (_encryptingThread == Environment.CurrentManagedThreadId)
        {
            Append(bytes);
        }
        else
        {
            Block block = Connection.Loop.Group.SharedBlocks.Rent(bytes.Length);
            bytes.CopyTo(block.Array);
            block.End = bytes.Length;
            Connection.Sender.SendCiphertext(block);
        }
    }

    private protected override bool TryEncrypt(Block chain, int maxBytes, EventLoop? loop, out int encrypted)
    {
        encrypted = 0;
        BeginEncrypting(loop);
        try
        {
            _expected = Expect(chain, maxBytes);
            for (Block? at = chain; at is not null && maxBytes > 0; at = at.Next)
            {
                int length = Math.Min(at.Length, maxBytes);
                if (length == 0)
                {
                    continue;
                }

                ValueTask write = _ssl.WriteAsync(at.Array.AsMemory(at.Start, length));
                if (!write.IsCompleted)
                {
                    // A write waits only during a renegotiation, and no thread may wait for a peer.
                    throw new IOException("The peer asked for a renegotiation of TLS.");
                }

                write.GetAwaiter().GetResult();
                encrypted += length;
                maxBytes -= length;
            }

            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Fault ??= e;
            return false;
        }
        finally
        {
            _encryptingThread = -1;
            _expected = 0;
        }
    }

    // Returns the approximate number of bytes of ciphertext, so that the ciphertext gets a block of this size.
    private static int Expect(Block chain, int maxBytes)
    {
        int bytes = 0;
        int records = 1;
        for (Block? at = chain; at is not null && bytes < maxBytes; at = at.Next)
        {
            bytes += Math.Min(at.Length, maxBytes - bytes);
            records++;
        }

        return bytes + ((records + (bytes / SmallChunk)) * RecordOverhead);
    }

    private void BeginEncrypting(EventLoop? loop)
    {
        _loop = loop;
        _encryptingThread = Environment.CurrentManagedThreadId;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        _expected -= bytes.Length;
        while (!bytes.IsEmpty)
        {
            // Usually, all ciphertext was expected. Only renegotiations and session tickets of TLS itself produce more.
            Span<byte> space = Reserve(1, Math.Max(bytes.Length, Math.Min(_expected + bytes.Length, BlockSizes.Stream)), _loop);
            int count = Math.Min(bytes.Length, space.Length);
            bytes[..count].CopyTo(space);
            Advance(count);
            bytes = bytes[count..];
        }
    }
}
