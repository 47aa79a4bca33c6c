using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>A dialer that calls a delegate of the test.</summary>
internal sealed class Dial(Func<EventLoop, ConnectionHandler, CancellationToken, ValueTask<Connection>> dial) : IDialer
{
    public ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default)
        => dial(loop, handler, cancellationToken);
}
