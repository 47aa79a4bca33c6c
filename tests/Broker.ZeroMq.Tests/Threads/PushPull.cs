namespace Broker.ZeroMq.Tests.Threads;

/// <summary>A PUSH that is connected to a PULL.</summary>
internal sealed class PushPull : IDisposable, IAsyncDisposable
{
    public PushPull(ZeroMqSocketOptions? options = null, ZeroMqContext? context = null, string endpoint = "tcp://127.0.0.1:*")
    {
        Pull = new PullSocket(options, context);
        Push = new PushSocket(options, context);
        Push.Connect(Pull.Bind(endpoint));
    }

    public PushSocket Push { get; }

    public PullSocket Pull { get; }

    public void Dispose()
    {
        Push.Dispose();
        Pull.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        await Push.DisposeAsync();
        await Pull.DisposeAsync();
    }
}
