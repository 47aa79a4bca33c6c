using System.Diagnostics;
using System.Text;
using Broker.ZeroMq;

namespace Broker.Cli.Bench;

/// <summary>A PUSH, PUB or REQ socket.</summary>
internal sealed class ZeroMqSender(ZeroMqBenchSettings places, BenchCounts counts) : IBenchSender
{
    // A PUB socket drops what its peer does not read in time. An XPUB socket is the same with a choice: it waits.
    private readonly MessageSocket _socket = places.Sockets switch
    {
        ZeroMqSockets.PushPull => new PushSocket(places.Options),
        ZeroMqSockets.PublishSubscribe => new XPublisherSocket(new XPublisherSocketOptions { NoDrop = true, Linger = TimeSpan.Zero, OnEvent = places.Options.OnEvent }),
        _ => new RequestSocket(new RequestSocketOptions { Linger = TimeSpan.Zero, OnEvent = places.Options.OnEvent }),
    };

    private readonly byte[] _topic = Encoding.UTF8.GetBytes(places.Topic);
    private readonly ZeroMqMessage _message = new();
    private readonly ZeroMqMessage _reply = new();
    private int _peers;

    public string? Away => _socket.ConnectionCount < _peers ? places.From : null;

    public IReadOnlyList<string> Open(IReadOnlyList<string> receivers)
    {
        if (places.From is null && places.Sockets == ZeroMqSockets.PublishSubscribe)
        {
            return [_socket.Bind("tcp://127.0.0.1:*")];
        }

        string[] peers = places.From is { } bridge ? [bridge] : [.. receivers];
        foreach (string peer in peers)
        {
            _socket.Connect(peer);
        }

        _peers = peers.Length;
        return [];
    }

    public ValueTask<bool> SendAsync(ReadOnlyMemory<byte> body, CancellationToken end)
    {
        _message.Clear();
        switch (_socket)
        {
            case PushSocket push:
                _message.Append(body.Span);
                return push.TrySend(_message) ? ValueTask.FromResult(true) : SendLaterAsync(push, end);
            case XPublisherSocket publisher:
                _message.Append(_topic).Append(body.Span);
                return publisher.TrySend(_message) ? ValueTask.FromResult(true) : SendLaterAsync(publisher, end);
            default:
                _message.Append(body.Span);
                return AskAsync((RequestSocket)_socket, end);
        }
    }

    public Task FlushAsync() => Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _socket.DisposeAsync();
        _message.Dispose();
        _reply.Dispose();
    }

    private async ValueTask<bool> SendLaterAsync<TSocket>(TSocket socket, CancellationToken end)
        where TSocket : MessageSocket, ISendingSocket
    {
        await socket.SendAsync(_message, end);
        return true;
    }

    private async ValueTask<bool> AskAsync(RequestSocket socket, CancellationToken end)
    {
        long begin = Stopwatch.GetTimestamp();
        await socket.SendAsync(_message, end);
        await socket.ReceiveAsync(_reply, end);
        counts.RecordSince(begin);
        return true;
    }
}
