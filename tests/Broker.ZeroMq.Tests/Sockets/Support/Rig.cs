using System.Text;
using Broker.Transport;
using Broker.ZeroMq.Publishing;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Subscribing;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Event loops, sockets on them, and what they report.</summary>
internal sealed class Rig : IAsyncDisposable
{
    private readonly List<ZeroMqSocket> _sockets = [];

    public Rig(int loops = 1) => Loops = new EventLoopGroup(new EventLoopOptions { Loops = loops, OnFault = Faults.Add });

    public EventLoopGroup Loops { get; }

    public EventLoop Loop => Loops[0];

    public Inbox<ZeroMqEvent> Events { get; } = new();

    /// <summary>"+prefix" and "-prefix", in Latin-1.</summary>
    public Inbox<string> Interest { get; } = new();

    /// <summary>Messages of all subscribers, as <see cref="LibzmqPeer.Show"/> writes them.</summary>
    public Inbox<string> Messages { get; } = new();

    public Inbox<Exception> Faults { get; } = new();

    public PublisherSocket Publisher(Func<PublisherOptions, PublisherOptions>? change = null)
    {
        var options = new PublisherOptions
        {
            OnEvent = Events.Add,
            OnInterest = (prefix, wanted) => Interest.Add((wanted ? "+" : "-") + Encoding.Latin1.GetString(prefix)),
            ReconnectInitial = TimeSpan.FromMilliseconds(10),
        };
        var socket = new PublisherSocket(Loops, change is null ? options : change(options));
        _sockets.Add(socket);
        return socket;
    }

    public SubscriberSocket Subscriber(
        Func<SubscriberOptions, SubscriberOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
    {
        var options = new SubscriberOptions { OnEvent = Events.Add, ReconnectInitial = TimeSpan.FromMilliseconds(10) };
        var socket = new SubscriberSocket(Loops, onMessage ?? Record, change is null ? options : change(options));
        _sockets.Add(socket);
        return socket;
    }

    public Task<ZeroMqEvent> EventAsync(ZeroMqEventKind kind) => Events.TakeAsync(e => e.Kind == kind);

    public Task<string> InterestAsync(string change) => Interest.TakeAsync(line => line == change);

    /// <summary>Publishes on the loop and returns to how many peers.</summary>
    public Task<int> PublishAsync(PublisherSocket socket, params byte[][] frames) =>
        OnLoopAsync(() => Publish(socket, frames));

    public async Task<T> OnLoopAsync<T>(Func<T> what, int loop = 0)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        Loops[loop].Post(() =>
        {
            try
            {
                done.SetResult(what());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        });
        return await done.Task.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
    }

    public int Publish(PublisherSocket socket, byte[][] frames)
    {
        switch (frames.Length)
        {
            case 1:
                return socket.Publish(Loop, frames[0]);
            case 2:
                return socket.Publish(Loop, frames[0], frames[1]);
            default:
                var memory = Array.ConvertAll(frames, frame => new ReadOnlyMemory<byte>(frame));
                var encoded = new byte[ZmtpWriter.MessageSize(memory)];
                ZmtpWriter.WriteMessage(encoded, memory);
                return socket.PublishEncoded(Loop, frames[0], encoded);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var socket in _sockets)
        {
            await socket.DisposeAsync();
        }

        Loops.Dispose();
        Assert.Empty(Faults.TakeAll());
    }

    public void Record(ZeroMqPeer peer, in ZmtpMessage message)
    {
        var frames = new List<byte[]>();
        foreach (var frame in message)
        {
            frames.Add(frame.Body.ToArray());
        }

        Messages.Add(LibzmqPeer.Show([.. frames]));
    }
}
