using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>A dialer that does as a test says.</summary>
internal sealed class Dial(Func<EventLoop, ConnectionHandler, CancellationToken, ValueTask<Connection>> dial) : IDialer
{
    public ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default)
        => dial(loop, handler, cancellationToken);
}
