using Broker.Transport.Tls;

namespace Broker.Transport;

// Ciphertext is received into a buffer of the loop, all of it is given to the TLS layer at once, and the layer decrypts
// into the loop's receive buffer: so parsing is the same as in clear, and no connection owns ciphertext but a part of a record.
internal abstract partial class PullConnection
{
    // What a peer may send ahead while its handshake is worked on.
    private const int MostAhead = 64 * 1024;

    private bool _paused;

    private protected override void OnTlsStarted()
    {
        // In the middle of a handler's call only its return says what is left.
        if (!_delivering)
        {
            ReadOnlySpan<byte> left = _rest.AsSpan(0, _restLength);
            PassToHandshake(left);
            ReleaseRest();
        }
    }

    private protected override void OnTlsSecured(TlsLayer tls)
    {
        Drain(tls);
        OnTlsStarved();
    }

    private protected override void OnTlsStarved()
    {
        if (_paused && !IsClosed)
        {
            _paused = false;
            ResumeReceiving();
        }
    }

    private void PassToHandshake(ReadOnlySpan<byte> left)
    {
        _needed = 0;
        if (IsOpen)
        {
            Tls!.FeedHandshake(left);
        }
    }

    // What was received in clear or comes out of TLS.
    private int Fill(byte[] array, int offset, int count, out ReceiveOutcome outcome)
        => Tls is { IsSecured: true } tls
            ? tls.Read(array.AsMemory(offset, count), out outcome)
            : Receive(array.AsSpan(offset, count), out outcome);

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
            return Ahead(tls, cipher.AsSpan(0, got));
        }

        tls.Feed(cipher, got);
        Drain(tls);
        return got == cipher.Length;
    }

    private bool Ahead(TlsLayer tls, ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            EndWhileHandshaking(tls);
            return false;
        }

        if (tls.FeedHandshake(bytes) > MostAhead)
        {
            _paused = true;
            PauseReceiving();
            return false;
        }

        return true;
    }

    // To the last record, whatever the budget of the turn: nobody reports bytes that are here already.
    private void Drain(TlsLayer tls)
    {
        while (IsOpen && tls.IsReadable())
        {
            Deliver();
        }

        tls.EndFeed();
    }
}
