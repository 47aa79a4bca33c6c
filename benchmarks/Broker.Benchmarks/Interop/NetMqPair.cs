using NetMQ;
using NetMQ.Sockets;

namespace Broker.Benchmarks.Interop;

/// <summary>A PUSH and a PULL of NetMQ in one process, without high-water marks. Messages wait at the PULL.</summary>
internal sealed class NetMqPair : IDisposable
{
    private const string Endpoint = "inproc://benchmark";

    private readonly PullSocket _pull = new();
    private readonly PushSocket _push = new();
    private Msg _message;

    internal NetMqPair()
    {
        _message.InitEmpty();
        _pull.Options.ReceiveHighWatermark = 0;
        _push.Options.SendHighWatermark = 0;
        _pull.Bind(Endpoint);
        _push.Connect(Endpoint);
    }

    internal void Send(byte[] body) => _push.SendFrame(body);

    /// <summary>Receives a message as an array, as most programs do.</summary>
    internal byte[] ReceiveBytes() => _pull.ReceiveFrameBytes();

    /// <summary>Receives a message into the pair's Msg. The bytes are valid until the next call.</summary>
    internal ReadOnlySpan<byte> ReceiveMsg()
    {
        _ = _pull.TryReceive(ref _message, Timeout.InfiniteTimeSpan);
        return _message.Slice();
    }

    public void Dispose()
    {
        _message.Close();
        _push.Dispose();
        _pull.Dispose();
        NetMQConfig.Cleanup(block: false);
    }
}
