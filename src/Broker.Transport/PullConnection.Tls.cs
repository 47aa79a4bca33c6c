using Broker.Transport.Tls;

namespace Broker.Transport;

// Ciphertext is received into a buffer of the loop, all of it is given to the TLS layer at once, and the layer decrypts
// into the loop's receive buffer: so parsing is the same as in clear, and no connection owns ciphertext but a part of a record.
internal abstract partial class PullConnection
{
    // What a peer may send ahead while its handshake is worked on.
    private const int MostAhead = 64 * 1024;

    private bool _paused;

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
        if (_paused && !IsClosed)
        {
            _paused = false;
            ResumeReceiving();
        }
    }

    // What the handler left belongs to the handshake, and what it waited for never comes.
    private void PassRest()
    {
        if (IsOpen)
        {
            Tls!.FeedHandshake(_rest.AsSpan(0, _restLength));
            ReleaseRest();
            _needed = 0;
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
        return got == cipher.Length;
    }

    private bool ReadAhead(TlsLayer tls, ReadOnlySpan<byte> bytes)
    {
        if (_restLength != 0)
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
            Deliver<Decrypted>();
        }

        tls.EndFeed();
    }

    private readonly struct Decrypted : ISource
    {
        public static int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome)
            => connection.Tls!.Read(array.AsMemory(offset, count), out outcome);
    }
}
