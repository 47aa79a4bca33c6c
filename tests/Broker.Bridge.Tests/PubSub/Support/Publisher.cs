using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>A PUB program that drops nothing.</summary>
internal sealed class Publisher : IAsyncDisposable
{
    private const int Portion = 200;

    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1, ThreadName = "test pub" });
    private readonly LoopPublisher _socket;

    public Publisher()
        => _socket = new LoopPublisher(_loops, new LoopPublisherOptions { HighWaterMark = 1L << 32, ReconnectInitial = TimeSpan.FromMilliseconds(10) });

    public LoopPublisher Socket => _socket;

    public Publisher Connect(string endpoint)
    {
        _socket.Connect(endpoint);
        return this;
    }

    public string Bind() => _socket.Bind("tcp://127.0.0.1:0").ToString();

    /// <summary>Sends on the loop, in portions, and returns when all is queued.</summary>
    public async Task SendAsync(IEnumerable<byte[][]> messages)
    {
        foreach (byte[][][] portion in messages.Chunk(Portion))
        {
            await OnLoopAsync(() =>
            {
                foreach (byte[][] frames in portion)
                {
                    _socket.PublishEncoded(_loops[0], frames[0], Shapes.Encode(frames));
                }
            });
        }
    }

    public Task SendAsync(params byte[][] frames) => SendAsync([frames]);

    public async ValueTask DisposeAsync()
    {
        await _socket.DisposeAsync();
        _loops.Dispose();
    }

    public async Task OnLoopAsync(Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _loops[0].Post(() =>
        {
            action();
            done.SetResult();
        });
        await done.Task.WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
    }
}
