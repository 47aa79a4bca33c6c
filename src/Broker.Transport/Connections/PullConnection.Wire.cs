namespace Broker.Transport;

// Ciphertext is received into a buffer of the loop and passed to the security layer at once. The layer decrypts it into
// the loop's receive buffer. So parsing is the same as without encryption, and a connection owns no ciphertext except
// an incomplete record.
internal abstract partial class PullConnection
{
    // The most bytes that a peer may send ahead while its handshake is computed.
    private const int MaxReadAhead = 12 * 1024;

    // The most bytes of a handshake that are received at once.
    private const int HandshakeRead = 4 * 1024;

    /// <summary>The largest size of a close_notify record in any version of TLS.</summary>
    private protected const int MaxCloseNotifySize = 64;

    // The action is posted because during a call of the handler it is not known yet how many bytes the handler will
    // leave.
    public void OnLayerInserted() => Loop.Post(PassUnconsumed);

    public void OnLayerSecured(SecurityLayer layer)
    {
        // The handshake's pause must end first, because nothing is delivered during this pause. And the bytes that were
        // received before may be the last bytes of the peer, so no later read would deliver them.
        OnTlsStarved();
        DecryptAll(layer);
    }

    public void OnTlsStarved() => Gate.ResumeHandshake();

    /// <summary>
    /// Called when the peer has ended its stream while the handler pauses, and the rest of the stream may be only the
    /// close_notify record. Decrypts at most the size of such a record. On the loop.
    /// </summary>
    private protected void ReceiveCloseNotify(SecurityLayer layer)
    {
        if (!layer.IsSecured || Inbound.Count != 0 || layer.IsReadable())
        {
            return;
        }

        byte[] cipher = Loop.ReceiveBuffers.Cipher;
        int got = Receive(cipher.AsSpan(0, MaxCloseNotifySize), out ReceiveOutcome outcome);
        if (outcome == ReceiveOutcome.Failed)
        {
            End(outcome);
            return;
        }

        layer.Feed(cipher, got);
        if (layer.IsReadable())
        {
            got = layer.Read(Loop.ReceiveBuffers.Plain.AsMemory(0, MaxCloseNotifySize), out outcome);
            if (outcome == ReceiveOutcome.Received)
            {
                // The bytes were application data. So no more bytes are taken out of the kernel.
                Inbound.Keep(Loop.ReceiveBuffers.Plain.AsSpan(0, got));
            }
            else
            {
                End(outcome);
            }
        }

        layer.EndFeed();
    }

    private void ContinueSecured(SecurityLayer layer)
    {
        // Until the layer is ready, the unconsumed bytes belong to the handshake.
        if (layer.IsSecured)
        {
            Inbound.DeliverUnconsumed();
            DecryptAll(layer);
        }
    }

    // The handler's unconsumed bytes belong to the handshake. The handler no longer waits for the number of bytes that
    // it needed.
    private void PassUnconsumed()
    {
        if (IsOpen)
        {
            Layer!.FeedHandshake(Inbound.Bytes);
            Inbound.Release();
        }
    }

    private bool ReadSecured(SecurityLayer layer)
    {
        byte[] cipher = Loop.ReceiveBuffers.Cipher;
        int space = layer.IsSecured ? cipher.Length : HandshakeRead;
        bool isLimited = Loop.Group.ReceiveBudget.IsTight | Inbound.MaxReadBytes != 0;
        if (isLimited && layer.IsSecured)
        {
            space = Math.Min(space, MostSecuredRead);
            if (!TryLimitRead(Inbound.Count + layer.KeptBytes, ref space))
            {
                return false;
            }
        }

        int got = Receive(cipher.AsSpan(0, space), out ReceiveOutcome outcome);
        if (outcome is ReceiveOutcome.Blocked or ReceiveOutcome.Failed)
        {
            return End(outcome);
        }

        Inbound.CountReceived(got);
        if (!layer.IsSecured)
        {
            return ReadAhead(layer, cipher.AsSpan(0, got));
        }

        Loop.BytesReceived += got;
        layer.Feed(cipher, got);
        DecryptAll(layer);
        return got == space && !Gate.IsPaused;
    }

    private bool ReadAhead(SecurityLayer layer, ReadOnlySpan<byte> bytes)
    {
        if (Inbound.Count != 0)
        {
            PassUnconsumed();
        }

        if (bytes.IsEmpty)
        {
            // The stream has ended, so the handshake fails and reports its own error.
            Closing.EndReceiving();
            layer.EndHandshakeFeed();
            return false;
        }

        if (layer.FeedHandshake(bytes) > MaxReadAhead)
        {
            Gate.PauseForHandshake();
            return false;
        }

        return true;
    }

    // Decrypts all complete records, without a limit on the number of reads, because no poller reports bytes that are
    // already in the process. If the handler pauses, at most the bytes of one read stay encrypted.
    private void DecryptAll(SecurityLayer layer)
    {
        while (IsOpen && !Gate.IsPaused && layer.IsReadable())
        {
            Read<Decrypted>();
        }

        layer.EndFeed();
    }

    private readonly struct Decrypted : ISource
    {
        public static int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome)
            => connection.Layer!.Read(array.AsMemory(offset, count), out outcome);
    }
}
