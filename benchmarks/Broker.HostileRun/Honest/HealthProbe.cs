using System.Collections.Concurrent;
using System.Diagnostics;

namespace Broker.HostileRun.Honest;

/// <summary>
/// Asks for the health page twice a second, each time with a new connection, as an orchestrator does.
/// </summary>
internal sealed class HealthProbe : IHonestTraffic
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly HttpClient _http = new(new SocketsHttpHandler { PooledConnectionLifetime = TimeSpan.Zero }) { Timeout = Limit };
    private readonly Uri _page;
    private readonly Task _asking;
    private long _sent;
    private long _answered;

    public HealthProbe(int port)
    {
        _page = new Uri($"http://127.0.0.1:{port}/healthz");
        _asking = AskAsync();
    }

    public const string Title = "health probe";

    public string Name => Title;

    public TimeMeter Times { get; } = new();

    public long Sent => Volatile.Read(ref _sent);

    public IReadOnlyCollection<string> Faults => _faults;

    public async Task<HonestCounts> EndAsync()
    {
        await _stop.CancelAsync();
        await _asking;
        return new HonestCounts(_sent, _answered, 0);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _asking;
        _http.Dispose();
        _stop.Dispose();
    }

    private async Task AskAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            long start = Stopwatch.GetTimestamp();
            Volatile.Write(ref _sent, _sent + 1);
            try
            {
                await _http.GetStringAsync(_page);
                Times.RecordSince(start);
                Volatile.Write(ref _answered, _answered + 1);
            }
            catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
            {
                _faults.Enqueue($"A health probe failed: {e.Message}");
            }

            await Task.Delay(Pause, _stop.Token).ContinueWith(static _ => { }, TaskScheduler.Default);
        }
    }
}
