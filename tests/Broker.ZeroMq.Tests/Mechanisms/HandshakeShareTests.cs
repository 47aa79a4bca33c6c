using Broker.Cryptography;
using Broker.Transport;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>
/// Handshakes with public-key cryptography get a share of each iteration of a loop, so that a burst of them does not
/// delay other connections. The test drives the loop and counts; it measures no time.
/// </summary>
public sealed class HandshakeShareTests
{
    // Four commands in an iteration. HELLO causes one agreement of keys and one new key, INITIATE two agreements.
    private const int MostInIteration = 8;
    private const int Peers = 60;

    private readonly CountingCryptography _cryptography = new();
    private int _echoes;

    [Fact]
    public void A_burst_of_HELLO_and_INITIATE_is_spread_over_iterations_in_which_others_are_served()
    {
        var keys = CurveKeyPair.Generate(_cryptography);
        using var loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        using var context = new ZeroMqContext(loops);
        using var pull = new PullSocket(new ZeroMqSocketOptions { Security = ZeroMqSecurity.CurveServer(keys) }, context);
        var endpoint = ZeroMqEndpoint.Parse(pull.Bind("tcp://127.0.0.1:*"));
        Connection bystander = Echo(loops[0]);
        Talker[] talkers = [.. Enumerable.Range(0, Peers).Select(_ => new Talker(endpoint, keys.PublicKey))];
        try
        {
            // The greetings cost nothing. After them come HELLO and INITIATE.
            RunUntil(loops[0], () => Array.TrueForAll(talkers, static talker => talker.HasAnswer));
            _cryptography.Operations = 0;
            for (int command = 0; command < 2; command++)
            {
                Array.ForEach(talkers, static talker => talker.Answer());
                Serve(loops[0], bystander, () => Array.TrueForAll(talkers, static talker => talker.HasAnswer));
            }

            Array.ForEach(talkers, static talker => talker.Answer());
            Assert.All(talkers, static talker => Assert.Equal(ZmtpHandshakeState.Active, talker.State));
            Assert.Equal(Peers * 4, _cryptography.Operations);
        }
        finally
        {
            Array.ForEach(talkers, static talker => talker.Dispose());
        }
    }

    private void Serve(EventLoop loop, Connection bystander, Func<bool> isServed) => RunUntil(loop, isServed, () =>
    {
        (int operations, int echoes) = (_cryptography.Operations, _echoes);
        bystander.GetWriteBuffer(loop).Write("x"u8);
        loop.RunOnce(TimeSpan.Zero);
        Assert.InRange(_cryptography.Operations - operations, 0, MostInIteration);
        Assert.Equal(echoes + 1, _echoes);
    });

    private static void RunUntil(EventLoop loop, Func<bool> condition, Action? runOnce = null)
    {
        long limit = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds;
        while (!condition())
        {
            Assert.True(Environment.TickCount64 < limit, "the handshakes do not end");
            (runOnce ?? (() => loop.RunOnce(TimeSpan.FromMilliseconds(1))))();
        }
    }

    private Connection Echo(EventLoop loop)
    {
        loop.Attach();
        (Connection near, _) = InProcessLink.Create(loop, new Counter(this), loop, new Returner());
        while (loop.RunOnce(TimeSpan.Zero))
        {
        }

        return near;
    }

    /// <summary>A client of CURVE by a raw socket, so that the test decides when each command is sent.</summary>
    private sealed class Talker : IDisposable
    {
        private readonly RawPeer _peer;
        private readonly ZmtpHandshake _handshake;

        internal Talker(ZeroMqEndpoint endpoint, CurveKey server)
        {
            _peer = new RawPeer(endpoint);
            _handshake = new ZmtpHandshake(
                new ZmtpHandshakeOptions(ZmtpSocketType.Push),
                ZeroMqSecurity.CurveClient(Curve.ClientKeys, server).Create(asks: false, binds: false));
            byte[] output = new byte[_handshake.MaxOutputSize];
            _peer.Send(output[.._handshake.Advance([], output).Written]);
        }

        internal ZmtpHandshakeState State => _handshake.State;

        internal bool HasAnswer => _peer.HasReceived;

        /// <summary>Reads the server's greeting or its next command, and sends the answer.</summary>
        internal void Answer()
        {
            byte[] output = new byte[_handshake.MaxOutputSize];
            byte[] received = [];
            while (true)
            {
                ZmtpHandshakeStep step = _handshake.Advance(received, output);
                if (step.Consumed > 0 || step.State == ZmtpHandshakeState.Active)
                {
                    _peer.Send(output[..step.Written]);
                    return;
                }

                received = [.. received, .. _peer.Read(step.Needed - received.Length)];
            }
        }

        public void Dispose() => _peer.Dispose();
    }

    private sealed class Counter(HandshakeShareTests test) : ConnectionHandler
    {
        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            test._echoes += bytes.Length;
            return bytes.Length;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }

    private sealed class Returner : ConnectionHandler
    {
        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
        {
            connection.GetWriteBuffer(connection.Loop).Write(bytes);
            return bytes.Length;
        }

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }

    /// <summary>Counts the operations with public keys.</summary>
    private sealed class CountingCryptography : ICurveCryptography
    {
        private readonly CurveCryptography _inner = new();

        internal int Operations { get; set; }

        public void GetPublicKey(ReadOnlySpan<byte> secretKey, Span<byte> publicKey)
        {
            Operations++;
            _inner.GetPublicKey(secretKey, publicKey);
        }

        public bool TryAgree(ReadOnlySpan<byte> secretKey, ReadOnlySpan<byte> publicKey, Span<byte> sharedKey)
        {
            Operations++;
            return _inner.TryAgree(secretKey, publicKey, sharedKey);
        }

        public ICurveBox CreateBox(ReadOnlySpan<byte> key) => _inner.CreateBox(key);
    }
}
