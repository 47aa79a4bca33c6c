using System.IO.Pipelines;

namespace Broker.Transport;

/// <summary>Creates dialers from streams and pipes, for example for a proxy, a tunnel or a test.</summary>
/// <remarks>
/// The connection owns the opened stream or pipe and closes it. TLS can run over the stream or pipe as over a socket.
/// </remarks>
public static class Dialers
{
    /// <summary>
    /// Returns a dialer that opens a stream for each connect. If <paramref name="open"/> throws, the attempt has
    /// failed.
    /// </summary>
    public static IDialer FromStream(Func<CancellationToken, ValueTask<Stream>> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        return new PipeDialer(async cancellationToken => StreamDuplexPipe.Open(await open(cancellationToken).ConfigureAwait(false)));
    }

    /// <summary>
    /// Returns a dialer that opens a duplex pipe for each connect. If <paramref name="open"/> throws, the attempt has
    /// failed.
    /// </summary>
    public static IDialer FromPipe(Func<CancellationToken, ValueTask<IDuplexPipe>> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        return new PipeDialer(open);
    }

    private sealed class PipeDialer(Func<CancellationToken, ValueTask<IDuplexPipe>> open) : IDialer
    {
        public async ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default)
            => PipeLink.Open(loop, await open(cancellationToken).ConfigureAwait(false), handler);
    }
}
