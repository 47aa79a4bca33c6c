using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>A thread-safe socket of a type that receives, and a peer that sends to it.</summary>
internal sealed class ThreadSafePair : IDisposable
{
    private const string Group = "g";

    private readonly ThreadSafeSocket _sender;
    private readonly ThreadSafeSocket _receiver;

    private Msg _last;

    // The number of the CLIENT, which a SERVER needs to send to it.
    private readonly uint _client;

    internal ThreadSafePair(string type)
    {
        (_sender, _receiver) = type switch
        {
            "GATHER" => ((ThreadSafeSocket)new ScatterSocket(), (ThreadSafeSocket)new GatherSocket()),
            "SERVER" => (new ClientSocket(), new ServerSocket()),
            "CLIENT" => (new ServerSocket(), new ClientSocket()),
            _ => (new RadioSocket(), new DishSocket()),
        };
        _last.InitEmpty();
        (_receiver as DishSocket)?.Join(Group);
        int port = _receiver.BindRandomPort("tcp://127.0.0.1");
        _sender.Connect($"tcp://127.0.0.1:{port}");
        if (_sender is ServerSocket server)
        {
            ((ClientSocket)_receiver).Send("hello");
            (_client, _) = server.ReceiveString();
        }
    }

    /// <summary>The message that was received last.</summary>
    internal ReadOnlySpan<byte> Content => _last.Slice();

    internal bool TrySend(byte[] body)
    {
        Msg msg = default;
        msg.InitGC(body, body.Length);
        if (_sender is RadioSocket)
        {
            msg.Group = Group;
        }
        else if (_sender is ServerSocket)
        {
            msg.RoutingId = _client;
        }

        return _sender.TrySend(ref msg, Wait.Limit);
    }

    /// <summary>Receives a message into <see cref="Content"/>. Returns false if none comes in time.</summary>
    internal bool TryReceive(TimeSpan limit) => _receiver.TryReceive(ref _last, limit);

    public void Dispose()
    {
        _sender.Dispose();
        _receiver.Dispose();
    }
}
