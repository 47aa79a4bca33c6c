using System.IO.Pipelines;
using Broker.Transport;
using Broker.Transport.Pipes;

namespace Broker.Client.Connecting;

/// <summary>Makes dialers for <see cref="ClientOptions.Dialer"/> of whatever carries bytes: through a proxy, a tunnel, a test.</summary>
/// <remarks>
/// What is opened is the connection's, and closed with it. TLS is spoken over it as over a socket where the options or the server ask
/// for it.
/// </remarks>
public static class Dialers
{
    /// <summary>A dialer that opens a stream for each connect. An exception counts as a failed attempt.</summary>
    public static IDialer FromStream(Func<CancellationToken, ValueTask<Stream>> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        return new PipeDialer(async cancellationToken => StreamLink.Open(await open(cancellationToken).ConfigureAwait(false)));
    }

    /// <summary>A dialer that opens a duplex pipe for each connect. An exception counts as a failed attempt.</summary>
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
