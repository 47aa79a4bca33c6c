using System.Net.Security;

namespace Broker.Transport;

/// <summary>
/// TLS between a connection and its transport. <see cref="SslStream"/> implements the cryptography and the protocol.
/// This class moves bytes to and from the SslStream without a thread that waits.
/// </summary>
/// <remarks>
/// The steps of the handshake run on the thread pool, because they compute for milliseconds and may look up revocation
/// lists. After the handshake, only the connection's loop reads, and the thread that has the right to send writes, as
/// without TLS. So there is one reader and one writer at a time, as <see cref="SslStream"/> requires.
/// </remarks>
internal sealed partial class TlsLayer : SecurityLayer
{
    private const int HandshakeRuns = 1;
    private const int Released = 2;

    private readonly TlsCiphertextStream _wire;
    private readonly SslStream _ssl;
    private int _flags;
    private volatile bool _secured;

    internal TlsLayer(Connection connection)
        : base(connection)
    {
        _wire = new TlsCiphertextStream(this);
        _ssl = new SslStream(_wire, leaveInnerStreamOpen: true);
    }

    /// <summary>Whether the handshake has succeeded.</summary>
    internal override bool IsSecured => _secured;

    /// <summary>
    /// Runs the handshake on the thread pool. <paramref name="done"/> is called on the same thread pool, with the
    /// exception, or with null after a success.
    /// </summary>
    internal void Start(Func<SslStream, Task> authenticate, Action<Exception?> done)
    {
        _flags = HandshakeRuns;
        _ = Task.Run(async () =>
        {
            Exception? error = null;
            try
            {
                await authenticate(_ssl).ConfigureAwait(false);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                error = e;
            }

            if ((Interlocked.And(ref _flags, ~HandshakeRuns) & Released) != 0)
            {
                _ssl.Dispose();
            }

            done(error);
        });
    }

    /// <summary>Returns the result of the handshake. On the loop, after a successful handshake.</summary>
    internal TlsDescription Describe() => TlsDescription.From(_ssl);

    internal override void Secure()
    {
        _wire.RunInline();
        _secured = true;
    }

    internal override void Abort(Exception error) => _wire.Fail(error);

    internal void OnStarved()
    {
        if (!_secured)
        {
            Connection.Loop.Post(Connection.Transport.OnTlsStarved);
        }
    }

    internal override void Dispose()
    {
        _wire.Fail(new ObjectDisposedException(nameof(Connection)));
        if (_reads)
        {
            // The failure of the stream completes the read. Fetching the result returns the state of the read to
            // SslStream.
            _reads = false;
            Observe(_read);
        }

        if ((Interlocked.Or(ref _flags, Released) & HandshakeRuns) == 0)
        {
            _ssl.Dispose();
        }
    }

    private static void Observe(ValueTask<int> read)
    {
        try
        {
            _ = read.GetAwaiter().GetResult();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // These exceptions are expected, because the connection is closed.
        }
    }
}
