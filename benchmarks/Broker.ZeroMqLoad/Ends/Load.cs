using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>One end of a connection, from its first message to its last.</summary>
internal sealed partial class Load
{
    internal const int SettlingTime = 1000;

    // The limit suffices for a crowd and for the subscribers before it.
    private const int MostPeers = 20_000;

    public required Role Role { get; init; }

    public required string Endpoint { get; init; }

    public string? Back { get; init; }

    public bool Binds { get; init; }

    public int Count { get; init; }

    public int Size { get; init; }

    public bool Varies { get; init; }

    public bool IsOnLoop { get; init; }

    public int Mark { get; init; }

    public int Attempts { get; init; }

    /// <summary>Whether the requesting or replying thread runs the loop's iterations itself.</summary>
    public bool RunsLoop { get; init; }

    /// <summary>The form of an end with NetMQ; null for an end with this project's sockets.</summary>
    public NetMqForm? NetMq { get; init; }

    /// <summary>Whether each message is received as an array of its own, and not into one buffer.</summary>
    public bool TakesArrays { get; init; }

    /// <summary>The number of messages before the measurement, for the compiler.</summary>
    public int WarmUp { get; init; }

    /// <summary>The number of subscribers of an end with subscribers.</summary>
    public int Peers { get; init; }

    private ZeroMqSocketOptions Options => new()
    {
        SendHighWaterMark = Mark,
        ReceiveHighWaterMark = Mark,
        Attempts = Attempts,
        Linger = TimeSpan.FromSeconds(30),
    };

    private EventLoopGroup? OwnLoops() => RunsLoop ? new EventLoopGroup(new EventLoopOptions { CallerDriven = true }) : null;

    private static ZeroMqContext ContextOf(EventLoopGroup? loops) => loops is null ? new ZeroMqContext() : new ZeroMqContext(loops);

    public void Run()
    {
        if (NetMq is { } form)
        {
            new NetMqEnd(this, form).Run();
            return;
        }

        switch (Role)
        {
            case Role.Push when IsOnLoop:
                PushOnLoop();
                break;
            case Role.Push:
                Push();
                break;
            case Role.Pull when IsOnLoop:
                PullOnLoop();
                break;
            case Role.Pull:
                Pull();
                break;
            case Role.Req:
                Request();
                break;
            case Role.Rep:
                Reply();
                break;
            case Role.Pub when IsOnLoop:
                PublishOnLoop();
                break;
            case Role.Pub:
                Publish();
                break;
            case Role.Sub when IsOnLoop:
                SubscribeOnLoop();
                break;
            case Role.Sub:
                Subscribe();
                break;
            case Role.Forward when IsOnLoop:
                Forward();
                break;
            case Role.Idle when IsOnLoop:
                IdleOnLoop();
                break;
            case Role.Idle:
                Idle();
                break;
            case Role.Crowd:
                Crowd.StayAsync(Endpoint, Peers).GetAwaiter().GetResult();
                break;
            case Role.Attach:
                PushAttached();
                break;
            case Role.Ingress:
                IngressAsync().GetAwaiter().GetResult();
                break;
            case Role.Bridge:
                BridgeAsync().GetAwaiter().GetResult();
                break;
            default:
                Proxy();
                break;
        }
    }

    partial void PushAttached();

    private void Join(MessageSocket socket)
    {
        if (Binds)
        {
            socket.Bind(Endpoint);
        }
        else
        {
            socket.Connect(Endpoint);
        }
    }

    private void Join(LoopSocket socket)
    {
        if (Binds)
        {
            socket.Bind(Endpoint);
        }
        else
        {
            socket.Connect(Endpoint);
        }
    }

    // The number of sizes is a power of two.
    internal int[] Sizes()
    {
        var random = new Random(12);
        return Varies ? [.. Enumerable.Range(0, 4096).Select(_ => random.Next(Size + 1))] : [Size];
    }
}
