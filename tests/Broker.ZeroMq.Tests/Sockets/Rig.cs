using System.Text;
using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>Event loops, the sockets on them, and what they report.</summary>
internal sealed class Rig : IAsyncDisposable
{
    private readonly List<LoopSocket> _sockets = [];

    private readonly RigTransport _transport;

    public Rig(int loops = 1, bool portable = false)
        : this(portable ? RigTransport.TcpPortable : RigTransport.Tcp, loops)
    {
    }

    public Rig(RigTransport transport, int loops = 1)
    {
        _transport = transport;
        Loops = new EventLoopGroup(new EventLoopOptions
        {
            Loops = loops,
            ForcePortable = transport is RigTransport.TcpPortable or RigTransport.IpcPortable,
            OnFault = Faults.Add,
        });
    }

    public static TheoryData<RigTransport> Transports => [RigTransport.Tcp, RigTransport.TcpPortable, RigTransport.Ipc, RigTransport.IpcPortable, RigTransport.Inproc];

    /// <summary>The transports by which a peer need not be a socket of the rig.</summary>
    public static TheoryData<RigTransport> SystemTransports => [RigTransport.Tcp, RigTransport.TcpPortable, RigTransport.Ipc, RigTransport.IpcPortable];

    /// <summary>An endpoint that sockets of this rig may bind; another one at each call.</summary>
    public string AnyPort => _transport switch
    {
        RigTransport.Inproc => $"inproc://{Guid.NewGuid():N}",
        RigTransport.Ipc or RigTransport.IpcPortable when OperatingSystem.IsLinux() => $"ipc://@{Guid.NewGuid():N}",
        RigTransport.Ipc or RigTransport.IpcPortable => $"ipc://{Path.Combine(Path.GetTempPath(), Path.GetRandomFileName())}",
        _ => "tcp://127.0.0.1:*",
    };

    public InprocNames Names { get; } = new();

    public EventLoopGroup Loops { get; }

    public EventLoop Loop => Loops[0];

    public Inbox<ZeroMqEvent> Events { get; } = new();

    /// <summary>The subscriptions as "+prefix" and "-prefix" in Latin-1.</summary>
    public Inbox<string> Interest { get; } = new();

    /// <summary>The messages of all subscribers in the notation of <see cref="LibzmqPeer.Show"/>.</summary>
    public Inbox<string> Messages { get; } = new();

    public Inbox<Exception> Faults { get; } = new();

    public LoopPublisher Publisher(Func<LoopPublisherOptions, LoopPublisherOptions>? change = null)
    {
        var options = new LoopPublisherOptions
        {
            OnEvent = Events.Add,
            OnInterest = (prefix, wanted) => Interest.Add((wanted ? "+" : "-") + Encoding.Latin1.GetString(prefix)),
            ReconnectInitial = TimeSpan.FromMilliseconds(10),
            Inproc = Names,
        };
        var socket = new LoopPublisher(Loops, change is null ? options : change(options));
        _sockets.Add(socket);
        return socket;
    }

    public LoopSubscriber Subscriber(
        Func<LoopSubscriberOptions, LoopSubscriberOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
    {
        var options = new LoopSubscriberOptions { OnEvent = Events.Add, ReconnectInitial = TimeSpan.FromMilliseconds(10), Inproc = Names };
        var socket = new LoopSubscriber(Loops, onMessage ?? Record, change is null ? options : change(options));
        _sockets.Add(socket);
        return socket;
    }

    public LoopPush Push(Func<LoopMessageOptions, LoopMessageOptions>? change = null) => Add(new LoopPush(Loop, Changed(change)));

    public LoopPull Pull(Func<LoopMessageOptions, LoopMessageOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
        => Add(new LoopPull(Loop, onMessage ?? Record, Changed(change)));

    public LoopDealer Dealer(Func<LoopRoutedOptions, LoopRoutedOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
        => Add(new LoopDealer(Loop, onMessage ?? Record, Changed(change)));

    public LoopRouter Router(Func<LoopRouterOptions, LoopRouterOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
        => Add(new LoopRouter(Loop, onMessage ?? Record, Changed(change)));

    public LoopReq Req(Func<LoopReqOptions, LoopReqOptions>? change = null, ZeroMqMessageHandler? onReply = null)
        => Add(new LoopReq(Loop, onReply ?? Record, Changed(change)));

    public LoopRep Rep(ZeroMqMessageHandler onRequest, Func<LoopMessageOptions, LoopMessageOptions>? change = null)
        => Add(new LoopRep(Loop, onRequest, Changed(change)));

    public LoopPair Pair(Func<LoopMessageOptions, LoopMessageOptions>? change = null, ZeroMqMessageHandler? onMessage = null)
        => Add(new LoopPair(Loop, onMessage ?? Record, Changed(change)));

    /// <summary>
    /// Waits until both ends of this many connections between sockets of this rig have reported them.
    /// </summary>
    public async Task ConnectedAsync(int connections = 1)
    {
        for (int i = 0; i < 2 * connections; i++)
        {
            await EventAsync(ZeroMqEventKind.PeerConnected);
        }
    }

    /// <summary>Waits until this end of this many connections to other peers has reported them.</summary>
    public async Task ConnectedOnceAsync(int connections)
    {
        for (int i = 0; i < connections; i++)
        {
            await EventAsync(ZeroMqEventKind.PeerConnected);
        }
    }

    public Task DoAsync(Action what) => OnLoopAsync(() =>
    {
        what();
        return 0;
    });

    public Task<ZeroMqEvent> EventAsync(ZeroMqEventKind kind) => Events.TakeAsync(e => e.Kind == kind);

    public Task<string> InterestAsync(string change) => Interest.TakeAsync(line => line == change);

    /// <summary>Publishes on the loop and returns the number of peers.</summary>
    public Task<int> PublishAsync(LoopPublisher socket, params byte[][] frames)
        => OnLoopAsync(() => Publish(socket, frames));

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
        return await Wait.For(done);
    }

    public int Publish(LoopPublisher socket, byte[][] frames)
    {
        switch (frames.Length)
        {
            case 1:
                return socket.Publish(Loop, frames[0]);
            case 2:
                return socket.Publish(Loop, frames[0], frames[1]);
            default:
                ReadOnlyMemory<byte>[] memory = Array.ConvertAll(frames, frame => new ReadOnlyMemory<byte>(frame));
                byte[] encoded = new byte[ZmtpWriter.MessageSize(memory)];
                ZmtpWriter.WriteMessage(encoded, memory);
                return socket.PublishEncoded(Loop, frames[0], encoded);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (LoopSocket socket in _sockets)
        {
            await socket.DisposeAsync();
        }

        Names.Dispose();
        Loops.Dispose();
        Assert.Empty(Faults.TakeAll());
    }

    public bool Record(ZeroMqPeer peer, in ZmtpMessage message)
    {
        var frames = new List<byte[]>();
        foreach (ZmtpFrame frame in message)
        {
            frames.Add(frame.Body.ToArray());
        }

        Messages.Add(LibzmqPeer.Show([.. frames]));
        return true;
    }

    private T Add<T>(T socket)
        where T : LoopSocket
    {
        _sockets.Add(socket);
        return socket;
    }

    private TOptions Changed<TOptions>(Func<TOptions, TOptions>? change)
        where TOptions : LoopMessageOptions, new()
    {
        TOptions options = new TOptions() with { OnEvent = Events.Add, ReconnectInitial = TimeSpan.FromMilliseconds(10), Inproc = Names };
        return change is null ? options : change(options);
    }
}
