using Broker.Transport.Tls;

namespace Broker.Transport;

// Ciphertext is received into a buffer of the loop, all of it is given to the TLS layer at once, and the layer decrypts
// into the loop's receive buffer: so parsing is the same as in clear, and no connection owns ciphertext but a part of a record.
internal abstract partial class PullConnection
{
    // What a peer may send ahead while its handshake is worked on.
    private const int MostAhead = 64 * 1024;

    /// <summary>What the record that ends a stream takes at most, by every version of TLS.</summary>
    private protected const int MostOfGoodbye = 64;

    private protected override bool CanCarryTls => true;

    // Posted: in the middle of a handler's call only its return says what is left.
    private protected override void OnTlsStarted() => Loop.Post(PassRest);

    private protected override void OnTlsSecured(TlsLayer tls)
    {
        Drain(tls);
        OnTlsStarved();
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
    private protected void ReceiveGoodbye(TlsLayer tls)
    {
        if (!tls.IsSecured || Kept != 0 || tls.IsReadable())
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

        tls.Feed(cipher, got);
        if (tls.IsReadable())
        {
            got = tls.Read(Loop.ReceiveBuffer.AsMemory(0, MostOfGoodbye), out outcome);
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

        tls.EndFeed();
    }

    private void ContinueSecured(TlsLayer tls)
    {
        // Before that what is kept belongs to the handshake.
        if (tls.IsSecured)
        {
            DeliverKept();
            Drain(tls);
        }
    }

    // What the handler left belongs to the handshake, and what it waited for never comes.
    private void PassRest()
    {
        if (IsOpen)
        {
            Tls!.FeedHandshake(KeptBytes);
            ReleaseKept();
        }
    }

    private bool ReadSecured(TlsLayer tls)
    {
        byte[] cipher = Loop.CipherBuffer;
        int got = Receive(cipher, out ReceiveOutcome outcome);
        if (outcome is ReceiveOutcome.Blocked or ReceiveOutcome.Failed)
        {
            return End(outcome);
        }

        if (!tls.IsSecured)
        {
            return ReadAhead(tls, cipher.AsSpan(0, got));
        }

        Loop.BytesReceived += got;
        tls.Feed(cipher, got);
        Drain(tls);
        return got == cipher.Length && !IsHeld;
    }

    private bool ReadAhead(TlsLayer tls, ReadOnlySpan<byte> bytes)
    {
        if (Kept != 0)
        {
            PassRest();
        }

        if (bytes.IsEmpty)
        {
            EndWhileHandshaking(tls);
            return false;
        }

        if (tls.FeedHandshake(bytes) > MostAhead)
        {
            HoldForHandshake(enough: true);
            return false;
        }

        return true;
    }

    // To the last record, whatever the budget of the turn: nobody reports bytes that are here already. What a handler that
    // pauses leaves is at most what one read brought, and stays encrypted.
    private void Drain(TlsLayer tls)
    {
        while (IsOpen && !IsHeld && tls.IsReadable())
        {
            Read<Decrypted>();
        }

        tls.EndFeed();
    }

    private readonly struct Decrypted : ISource
    {
        public static int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome)
            => connection.Tls!.Read(array.AsMemory(offset, count), out outcome);
    }
}
