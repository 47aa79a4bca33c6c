using System.Collections.Concurrent;
using System.Diagnostics;
using Broker.Client;
using Broker.Transport;

namespace Broker.HostileRun.Honest;

/// <summary>A requester with one request at a time, and a responder that returns what it receives.</summary>
internal sealed class RequestPair : IHonestTraffic
{
    private const string Subject = "honest.requests";

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1 });
    private readonly Thread _thread;
    private BrokerConnection _requester = null!;
    private BrokerConnection _responder = null!;
    private volatile bool _stops;
    private long _sent;
    private long _answered;
    private long _wrong;

    private RequestPair() => _thread = new Thread(Ask) { IsBackground = true, Name = "requester" };

    public string Name => "request pair";

    public TimeMeter Times { get; } = new();

    public long Sent => Volatile.Read(ref _sent);

    public IReadOnlyCollection<string> Faults => _faults;

    public static async Task<RequestPair> StartAsync(int port)
    {
        var pair = new RequestPair();
        try
        {
            pair._responder = await HonestClient.ConnectAsync(port, "responder", pair._loops, pair._faults);
            pair._responder.Subscribe(Subject, static (in MessageView message) => message.Respond(message.Body));
            await pair._responder.FlushAsync();
            pair._requester = await HonestClient.ConnectAsync(port, "requester", pair._loops, pair._faults);
            pair._thread.Start();
            return pair;
        }
        catch
        {
            await pair.DisposeAsync();
            throw;
        }
    }

    public Task<HonestCounts> EndAsync()
    {
        _stops = true;
        _thread.Join();
        return Task.FromResult(new HonestCounts(_sent, _answered, _wrong));
    }

    public async ValueTask DisposeAsync()
    {
        _stops = true;
        foreach (BrokerConnection? connection in new[] { _requester, _responder })
        {
            if (connection is not null)
            {
                await connection.DisposeAsync();
            }
        }

        _loops.Dispose();
    }

    private void Ask()
    {
        byte[] message = new byte[NumberedMessage.Size];
        for (; !_stops; Thread.Sleep(Pause))
        {
            long start = Stopwatch.GetTimestamp();
            NumberedMessage.Write(message, _sent, start);
            Volatile.Write(ref _sent, _sent + 1);
            try
            {
                Message reply = _requester.Request(Subject, message, Limit);
                Times.RecordSince(start);
                if (reply.Body.Span.SequenceEqual(message))
                {
                    _answered++;
                }
                else
                {
                    _wrong++;
                }
            }
            catch (Exception e) when (e is ClientException or TimeoutException or ObjectDisposedException)
            {
                _faults.Enqueue($"A request failed: {e.Message}");
            }
        }
    }
}
