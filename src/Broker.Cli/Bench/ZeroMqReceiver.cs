using Broker.ZeroMq;

namespace Broker.Cli.Bench;

/// <summary>A PULL, SUB or REP socket.</summary>
internal sealed class ZeroMqReceiver(ZeroMqBenchSettings places, BenchCounts counts, BenchProbe probe) : IBenchReceiver
{
    private readonly MessageSocket _socket = places.Sockets switch
    {
        ZeroMqSockets.PushPull => new PullSocket(places.Options),
        ZeroMqSockets.PublishSubscribe => new SubscriberSocket(places.Options),
        _ => new ResponseSocket(places.Options),
    };

    private Task _reading = Task.CompletedTask;
    private int _peers;
    private bool _wasProbed;

    public string? Away => _socket.ConnectionCount < _peers ? places.To : null;

    public IReadOnlyList<string> Open(IReadOnlyList<string> senders)
    {
        (_socket as SubscriberSocket)?.Subscribe(places.Topic);
        if (places.To is null && places.Sockets != ZeroMqSockets.PublishSubscribe)
        {
            return [_socket.Bind("tcp://127.0.0.1:*")];
        }

        string[] peers = places.To is { } bridge ? [bridge] : [.. senders];
        foreach (string peer in peers)
        {
            _socket.Connect(peer);
        }

        _peers = peers.Length;
        return [];
    }

    public Task StartAsync(CancellationToken end)
    {
        BenchCounter counter = places.Sockets == ZeroMqSockets.RequestReply ? new BenchCounter() : counts.AddReceiver();
        _reading = Task.Run(
            () => _socket switch
            {
                PullSocket pull => ReadAsync(pull, counter, end),
                SubscriberSocket subscriber => ReadAsync(subscriber, counter, end),
                _ => AnswerAsync((ResponseSocket)_socket, end),
            },
            CancellationToken.None);
        return Task.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        await _socket.DisposeAsync();
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task ReadAsync<TSocket>(TSocket socket, BenchCounter counter, CancellationToken end)
        where TSocket : MessageSocket, IReceivingSocket
    {
        using var message = new ZeroMqMessage();
        while (true)
        {
            if (!socket.TryReceive(message))
            {
                await socket.ReceiveAsync(message, end);
            }

            if (!probe.Takes(message.Last, ref _wasProbed))
            {
                counter.Count(message.Last.Length);
            }
        }
    }

    private async Task AnswerAsync(ResponseSocket socket, CancellationToken end)
    {
        using var message = new ZeroMqMessage();
        while (true)
        {
            await socket.ReceiveAsync(message, end);
            probe.Takes(message.Last, ref _wasProbed);
            await socket.SendAsync(message, end);
        }
    }
}
