using Broker.Transport.Wire;

namespace Broker.Transport;

// Ciphertext is received into a buffer of the loop, all of it is given to the layer at once, and the layer decrypts
// into the loop's receive buffer: so parsing is the same as in clear, and no connection owns ciphertext but a part of a record.
internal abstract partial class PullConnection
{
    // What a peer may send ahead while its handshake is worked on.
    private const int MostAhead = 64 * 1024;

    /// <summary>What the record that ends a stream takes at most, by every version of TLS.</summary>
    private protected const int MostOfGoodbye = 64;

    private protected override bool CanCarryLayers => true;

    // Posted: in the middle of a handler's call only its return says what is left.
    private protected override void OnLayerInserted() => Loop.Post(PassRest);

    private protected override void OnLayerSecured(WireLayer layer)
    {
        // First, for while it lasts nothing is delivered, and what came before may be all that ever comes.
        OnTlsStarved();
        Drain(layer);
    }

    private protected override void OnTlsStarved()
    {
        if (!IsClosed)
        {
            HoldForHandshake(enough: false);
        }
    }

    /// <summary>
    /// The peer has ended its stream while the handler pauses, and what is left of it may be no more than the record that says so:
    /// that much is decrypted. On the loop.
    /// </summary>
    private protected void ReceiveGoodbye(WireLayer layer)
    {
        if (!layer.IsSecured || Kept != 0 || layer.IsReadable())
        {
            return;
        }

        byte[] cipher = Loop.CipherBuffer;
        int got = Receive(cipher.AsSpan(0, MostOfGoodbye), out ReceiveOutcome outcome);
        if (outcome == ReceiveOutcome.Failed)
        {
            End(outcome);
            return;
        }

        layer.Feed(cipher, got);
        if (layer.IsReadable())
        {
            got = layer.Read(Loop.ReceiveBuffer.AsMemory(0, MostOfGoodbye), out outcome);
            if (outcome == ReceiveOutcome.Received)
            {
                // It was something else: no more than that is taken out of the kernel.
                Keep(Loop.ReceiveBuffer.AsSpan(0, got));
            }
            else
            {
                End(outcome);
            }
        }

        layer.EndFeed();
    }

    private void ContinueSecured(WireLayer layer)
    {
        // Before that what is kept belongs to the handshake.
        if (layer.IsSecured)
        {
            DeliverKept();
            Drain(layer);
        }
    }

    // What the handler left belongs to the handshake, and what it waited for never comes.
    private void PassRest()
    {
        if (IsOpen)
        {
            Layer!.FeedHandshake(KeptBytes);
            ReleaseKept();
        }
    }

    private bool ReadSecured(WireLayer layer)
    {
        byte[] cipher = Loop.CipherBuffer;
        int got = Receive(cipher, out ReceiveOutcome outcome);
        if (outcome is ReceiveOutcome.Blocked or ReceiveOutcome.Failed)
        {
            return End(outcome);
        }

        if (!layer.IsSecured)
        {
            return ReadAhead(layer, cipher.AsSpan(0, got));
        }

        Loop.BytesReceived += got;
        layer.Feed(cipher, got);
        Drain(layer);
        return got == cipher.Length && !IsHeld;
    }

    private bool ReadAhead(WireLayer layer, ReadOnlySpan<byte> bytes)
    {
        if (Kept != 0)
        {
            PassRest();
        }

        if (bytes.IsEmpty)
        {
            EndWhileHandshaking(layer);
            return false;
        }

        if (layer.FeedHandshake(bytes) > MostAhead)
        {
            HoldForHandshake(enough: true);
            return false;
        }

        return true;
    }

    // To the last record, whatever the budget of the turn: nobody reports bytes that are here already. What a handler that
    // pauses leaves is at most what one read brought, and stays encrypted.
    private void Drain(WireLayer layer)
    {
        while (IsOpen && !IsHeld && layer.IsReadable())
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
