namespace Broker.Transport;

// SslStream writes ciphertext to its stream within the call that passes plain bytes to it.
internal sealed partial class TlsLayer
{
    // The most bytes that a record adds to its content (RFC 5246 section 6.2.3, and the margin that implementations
    // leave).
    private const int RecordOverhead = 128;

    private int _expected;
    private EventLoop? _loop;
    private volatile int _encryptingThread = -1;

    internal override bool HasCloseNotify => true;

    /// <summary>Appends the close_notify alert to the ciphertext. With the right to send.</summary>
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
            // Then the peer only sees the end of the stream.
            Fault ??= e;
        }
        finally
        {
            _encryptingThread = -1;
        }
    }

    /// <summary>
    /// SslStream has ciphertext to send: of bytes that it was given to encrypt, or of the TLS protocol itself.
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
                    // A write waits only for a renegotiation, and no thread may wait for a peer.
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

    // About how many bytes of ciphertext there will be, so that they get a block of that size.
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
            // No further ciphertext is expected, except in renegotiations and session tickets of TLS itself.
            Span<byte> space = Reserve(1, Math.Max(bytes.Length, Math.Min(_expected + bytes.Length, BlockSizes.Stream)), _loop);
            int count = Math.Min(bytes.Length, space.Length);
            bytes[..count].CopyTo(space);
            Advance(count);
            bytes = bytes[count..];
        }
    }
}
